import HeraldBluetooth
import Testing

@Suite("GATT client: values")
struct GATTClientValueTests {
  let peer = TestClient()

  private func begin(_ procedure: GATTProcedure) { #expect(peer.begin(procedure)) }

  @Test("GAR/CL/BV-01 a short value")
  func shortRead() {
    begin(.readLong(8))
    #expect(peer.next() == "0A 08 00")
    #expect(peer.receive("0B 01 02") == .lastValue(offset: 0, from: 1))
    begin(.readLong(8))
    #expect(peer.next() == "0A 08 00")
    #expect(peer.receive("0B") == .lastValue(offset: 0, from: 1))
    // One byte less than a response has room for.
    begin(.readLong(8))
    #expect(peer.next() == "0A 08 00")
    #expect(
      peer.receive("0B 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14")
        == .lastValue(offset: 0, from: 1))
    #expect(!peer.client.isBusy)
  }

  @Test("HP-07 GAR/CL/BV-04 a long value: Read, then Read Blob until a response is not full")
  func longRead() {
    let full = " 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15"
    begin(.readLong(8))
    #expect(peer.next() == "0A 08 00")
    #expect(peer.receive("0B" + full) == .value(offset: 0, from: 1))
    #expect(peer.next() == "0C 08 00 16 00")
    #expect(peer.receive("0D" + full) == .value(offset: 22, from: 1))
    #expect(peer.next() == "0C 08 00 2C 00")
    #expect(peer.receive("0D AA") == .lastValue(offset: 44, from: 1))
    #expect(!peer.client.isBusy)
  }

  @Test(
    "A value exactly as long as the responses so far ends in whichever way the peer says so",
    arguments: ["0D", "01 0C 08 00 07", "01 0C 08 00 0B"])
  func exactRead(end: String) {
    begin(.readLong(8))
    _ = peer.next()
    #expect(
      peer.receive("0B 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15")
        == .value(offset: 0, from: 1))
    #expect(peer.next() == "0C 08 00 16 00")
    #expect(peer.receive(end) == (end == "0D" ? .lastValue(offset: 22, from: 1) : .finished))
    #expect(!peer.client.isBusy)
  }

  @Test(
    "GAR/CL/BI-01…05 a read that is refused", arguments: [0x01, 0x02, 0x05, 0x07, 0x08, 0x0B, 0x0F, 0x80])
  func refusedRead(code: UInt8) {
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive("01 0A 08 00 " + hex([code])) == .failed(.refused(ATTErrorCode(rawValue: code))))
    #expect(!peer.client.isBroken)
  }

  @Test("512 bytes are the end, whatever the peer would send")
  func longestRead() {
    peer.mtu = 129
    let full = hex([UInt8](repeating: 7, count: 128))
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive("0B" + full) == .value(offset: 0, from: 1))
    for offset in [128, 256] {
      _ = peer.next()
      #expect(peer.receive("0D" + full) == .value(offset: offset, from: 1))
    }
    _ = peer.next()
    #expect(peer.receive("0D" + full) == .lastValue(offset: 384, from: 1))

    peer.mtu = 247
    let wide = hex([UInt8](repeating: 7, count: 246))
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive("0B" + wide) == .value(offset: 0, from: 1))
    _ = peer.next()
    #expect(peer.receive("0D" + wide) == .value(offset: 246, from: 1))
    _ = peer.next()
    #expect(peer.receive("0D" + wide) == .failed(.tooLong))
  }

  @Test("HP-07 A peer that states a smaller ATT_MTU than it uses is read", arguments: [23, 30, 40])
  func understatedMTU(actual: Int) {
    // The peer has answered Exchange MTU with 23, and sends up to `actual` bytes.
    let value = (0..<75).map { UInt8($0) }
    var found: [UInt8] = []
    begin(.readLong(8))
    for _ in 0..<8 where peer.client.isBusy {
      let request = peer.next()
      let offset = found.count
      #expect(request == (offset == 0 ? "0A 08 00" : "0C 08 00 " + hex([UInt8(offset), 0])))
      let part = Array(value[offset...].prefix(actual - 1))
      let event = peer.receive((offset == 0 ? "0B " : "0D ") + hex(part))
      #expect(event == .value(offset: offset, from: 1) || event == .lastValue(offset: offset, from: 1))
      found += part
    }
    #expect(found == value)
    #expect(!peer.client.isBusy)
  }

  @Test("GAW/CL/BV-03 a value that fits is written with response")
  func write() {
    peer.value = [UInt8](0..<20)
    begin(.write(12, length: 20))
    #expect(peer.next() == "12 0C 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13")
    #expect(peer.receive("13") == .finished)
    peer.value = []
    begin(.write(12, length: 0))
    #expect(peer.next() == "12 0C 00")
    #expect(peer.receive("01 12 0C 00 03") == .failed(.refused(.writeNotPermitted)))
    begin(.write(12, length: 0))
    _ = peer.next()
    #expect(peer.receive("13 00") == .failed(.malformed))
    #expect(!peer.begin(.write(12, length: 513)))
    #expect(!peer.begin(.write(12, length: -1)))
    #expect(!peer.begin(.write(0, length: 1)))
  }

  @Test("A value other than announced is not sent")
  func otherValue() {
    peer.value = [1, 2, 3]
    begin(.write(12, length: 2))
    #expect(peer.next() == "")
    peer.value = [1, 2]
    #expect(peer.next() == "12 0C 00 01 02")
  }

  @Test("GAW/CL/BV-05 a longer value is prepared in parts, echoes checked, and executed")
  func longWrite() {
    peer.value = [UInt8](0..<21)
    begin(.write(12, length: 21))
    #expect(peer.next() == "16 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    #expect(peer.receive("17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11") == .none)
    #expect(peer.next() == "16 0C 00 12 00 12 13 14")
    #expect(peer.receive("17 0C 00 12 00 12 13 14") == .none)
    #expect(peer.next() == "18 01")
    #expect(peer.receive("19") == .finished)
  }

  @Test(
    "GAW/CL/BV-06 a wrong echo cancels the queue",
    arguments: [
      "17 0D 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11",
      "17 0C 00 01 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11",
      "17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 12",
      "17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10", "17 0C 00 00 00", "17",
      "17 0C 00 00",
    ])
  func wrongEcho(echo: String) {
    peer.value = [UInt8](0..<21)
    begin(.write(12, length: 21))
    _ = peer.next()
    #expect(peer.receive(echo) == .none)
    #expect(peer.next() == "18 00")
    #expect(peer.receive("19") == .failed(.echoMismatch))
    #expect(!peer.client.isBusy)
  }

  @Test("A refused first part ends it; a later one cancels what is queued first")
  func refusedPrepare() {
    peer.value = [UInt8](0..<40)
    begin(.write(12, length: 40))
    _ = peer.next()
    #expect(peer.receive("01 16 0C 00 03") == .failed(.refused(.writeNotPermitted)))
    begin(.write(12, length: 40))
    _ = peer.next()
    #expect(peer.receive("17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11") == .none)
    _ = peer.next()
    #expect(peer.receive("01 16 0C 00 09") == .none)
    #expect(peer.next() == "18 00")
    #expect(peer.receive("19") == .failed(.refused(.prepareQueueFull)))
    begin(.write(12, length: 40))
    _ = peer.next()
    _ = peer.receive("17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    _ = peer.next()
    _ = peer.receive("01 16 0C 00 09")
    _ = peer.next()
    #expect(peer.receive("01 18 00 00 0E") == .failed(.refused(.prepareQueueFull)))
  }

  @Test("GAW/CL/BI-07 an execution that is refused")
  func refusedExecute() {
    peer.value = [UInt8](0..<21)
    begin(.write(12, length: 21))
    _ = peer.next()
    _ = peer.receive("17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    _ = peer.next()
    _ = peer.receive("17 0C 00 12 00 12 13 14")
    _ = peer.next()
    #expect(peer.receive("01 18 0C 00 0D") == .failed(.refused(.invalidAttributeValueLength)))
  }
}
