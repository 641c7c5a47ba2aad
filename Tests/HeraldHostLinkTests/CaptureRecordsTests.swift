import Testing

@testable import HeraldHostLink

@Suite("Captures from a node")
struct CaptureRecordsTests {
  let header: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0, 0, 0, 0, 1, 0, 0, 0x03, 0xEA]
  let record: [UInt8] =
    [0, 0, 0, 4, 0, 0, 0, 4] + [UInt8](repeating: 0, count: 16) + [0x01, 0x03, 0x0C, 0x00]

  @Test("Only whole records come out, wherever the stream is cut")
  func cuts() throws {
    let stream = header + record + record
    for first in 0...stream.count {
      var records = CaptureRecords()
      var out = try records.append(Array(stream[..<first]))
      let whole = first < 16 ? 0 : 16 + (first - 16) / 28 * 28
      #expect(out.count == whole && records.count == max(0, (whole - 16) / 28))
      out += try records.append(Array(stream[first...]))
      #expect(out == stream && records.count == 2)
    }
  }

  @Test("What is no capture, or has packets that cannot be, is refused")
  func refusals() throws {
    var other = CaptureRecords()
    #expect(throws: HostLinkError.self) { try other.append([0x48]) }
    var long = CaptureRecords()
    _ = try long.append(header)
    #expect(throws: HostLinkError.self) {
      try long.append([0, 0, 0, 4, 0, 1, 0, 5] + [UInt8](repeating: 0, count: 16))
    }
  }
}
