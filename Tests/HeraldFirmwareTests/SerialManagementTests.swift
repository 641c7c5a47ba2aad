import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI
import HeraldSimulation
import Testing

/// A line that takes a packet only where there is room for the whole of it.
private struct NarrowLine: ByteLine {
  let host: Host
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = min(host.toDevice.count, buffer.count)
    for index in 0..<count { buffer[index] = host.toDevice.removeFirst() }
    return count
  }
  mutating func write(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= host.room else { return false }
    host.room -= bytes.count
    for index in 0..<bytes.count { host.fromDevice.append(bytes[index]) }
    return true
  }
}

private final class Host {
  var toDevice: [UInt8] = []
  var fromDevice: [UInt8] = []
  var room = 0
}

@Suite("The management link on a serial line")
struct SerialManagementTests {
  @Test("a response that the line has no room for is kept, and written whole later")
  func narrow() {
    let host = Host()
    var links = SerialManagement<NarrowLine, 128>(NarrowLine(host: host))
    let events = Events()
    let words = Words()
    var device = TestNode(
      radio: HCIRadio(transport: SilentTransport(events: events)),
      flash: MemoryFlash(pageSize: 4096, pageCount: 4, wordSize: 4), random: CountedRandom(),
      supplier: FixedPayloadSupplier(country: 1, state: 2, clientIdentifier: 3), delegate: NoDelegate(),
      board: Firmware(
        hardware: TestHardware(events: events), memory: words.memory,
        settings: MemoryFlash(pageSize: 4096, pageCount: 2, wordSize: 4), hint: nil))
    // SMP: write, group 0 (OS), sequence 1, command 0 (echo), {"d": "hi"}; the response is {"r": "hi"}.
    host.toDevice = Array("\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n".utf8)
    let later = links.serve(at: .start, device: &device)
    #expect(later == .start + .milliseconds(2))
    #expect(host.fromDevice.isEmpty)
    _ = links.serve(at: .start + .milliseconds(2), device: &device)
    #expect(host.fromDevice.isEmpty)
    host.room = 1000
    _ = links.serve(at: .start + .milliseconds(4), device: &device)
    #expect(String(decoding: host.fromDevice, as: UTF8.self) == "\u{06}\u{09}ABALAAAGAAABAKFhcmJoaeLw\n")
    let rest = links.serve(at: .start + .milliseconds(6), device: &device)
    #expect(rest == .never)
  }
}
