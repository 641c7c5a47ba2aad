import HeraldBluetooth
import HeraldHAL
import Testing

@Suite("ATT writes")
struct ATTWriteTests {
  let small = TestServer<SmallTable>()

  @Test("HP-09 GAW/SR/BV-03 a written value arrives whole and is acknowledged")
  func write() {
    #expect(small.ask("12 0C00 0102030405") == "13")
    #expect(small.values.written.count == 1)
    #expect(small.values.written.first?.tag == .signal)
    #expect(small.values.written.first?.value == [1, 2, 3, 4, 5])
    #expect(small.values.written.first?.withResponse == true)
    #expect(small.ask("12 0800") == "13")  // an empty value is a value
    #expect(small.values.written.last?.value == [])
    #expect(small.ask("12 0C00 0102030405060708090A0B0C0D0E0F1011121314", on: 1) == "13")
    #expect(small.values.written.last?.connection == 1)
  }

  @Test("GAW/SR/BI-02, BI-03 handle, permission, length")
  func writeErrors() {
    #expect(small.ask("12 0000 01") == "01 12 00 00 01")
    #expect(small.ask("12 1200 01") == "01 12 12 00 01")
    #expect(small.ask("12 0300 01") == "01 12 03 00 03")
    #expect(small.ask("12 0500 01") == "01 12 05 00 03")
    #expect(small.ask("12 0100 01") == "01 12 01 00 03")
    #expect(small.ask("12 1100 01") == "01 12 11 00 03")  // without response only
    #expect(small.ask("12 0C") == "01 12 00 00 04")
    let wide = TestServer<SmallTable>(mtu: 247)
    #expect(wide.answer(pdu("12 0C00") + [UInt8](repeating: 1, count: 21)) == pdu("01 12 0C00 0D"))
    #expect(wide.answer(pdu("12 0C00") + [UInt8](repeating: 1, count: 20)) == pdu("13"))
    small.values.writeFailure = .valueNotAllowed
    #expect(small.ask("12 0C00 01") == "01 12 0C 00 13")
    small.values.writeFailure = ATTErrorCode(rawValue: 0x80)
    #expect(small.ask("12 0C00 01") == "01 12 0C 00 80")
    #expect(small.values.written.isEmpty)
  }

  @Test("GAW/SR/BV-01 a write command is never answered, whatever is wrong with it")
  func writeCommand() {
    #expect(small.ask("52 1100 010203") == "")
    #expect(small.values.written.count == 1)
    #expect(small.values.written.first?.withResponse == false)
    for bad in ["52 1100 01020304", "52 0000 01", "52 FF00 01", "52 0300 01", "52 11", "52"] {
      #expect(small.ask(bad) == "")
    }
    #expect(small.values.written.count == 1)
  }

  @Test("HP-09 a value taken with response is not taken without")
  func writeCommandToRequestOnly() {
    #expect(small.ask("52 0C00 01") == "")
    #expect(small.ask("52 0800 01") == "")
    #expect(small.values.written.isEmpty)
  }

  @Test("HP-08 GAN/SR/BV-01 a client asks for notifications and gets them, on its connection only")
  func notifications() {
    #expect(small.ask("0A 0900") == "0B 00 00")
    #expect(small.ask("12 0900 0100") == "13")
    #expect(small.ask("0A 0900") == "0B 01 00")
    #expect(small.ask("0C 0900 0100") == "0D 00")
    #expect(small.ask("0A 0900", on: 1) == "0B 00 00")
    #expect(small.values.written.isEmpty)
    #expect(notification([1, 2, 3], on: 0) == "1B 08 00 01 02 03")
    #expect(notification([1, 2, 3], on: 1) == "")
    #expect(notification([UInt8](repeating: 9, count: 30), on: 0).split(separator: " ").count == 23)
    small.server.closed(ConnectionID(index: 0))
    #expect(notification([1, 2, 3], on: 0) == "")
    #expect(small.ask("0A 0900") == "0B 00 00")
  }

  private func notification(_ value: [UInt8], on connection: Int) -> String {
    var buffer = [UInt8](repeating: 0, count: 247)
    var span = buffer.mutableSpan
    let length = small.server.notification(
      of: value.span, handle: 8, slot: 0, on: ConnectionID(index: connection), into: &span)
    return hex(Array(buffer[0..<length]))
  }

  @Test("GAI/SR/BV-01 one indication at a time, until it is confirmed")
  func indications() {
    let large = TestServer<LargeTable>()
    func indicate() -> String {
      var buffer = [UInt8](repeating: 0, count: 247)
      var span = buffer.mutableSpan
      let value: [UInt8] = [7]
      let length = large.server.indication(
        of: value.span, handle: 0x0F, slot: 7, on: ConnectionID(index: 0), into: &span)
      return hex(Array(buffer[0..<length]))
    }
    #expect(indicate() == "")
    #expect(large.ask("12 1200 0300") == "13")
    #expect(indicate() == "1D 0F 00 07")
    #expect(indicate() == "")
    #expect(large.ask("1E 00") == "")  // no confirmation: too long
    #expect(indicate() == "")
    #expect(large.ask("1E") == "")
    #expect(indicate() == "1D 0F 00 07")
  }

  @Test("A client configuration is two bytes, and only what the characteristic offers; each has its own bits")
  func configuration() {
    #expect(small.ask("12 0900 01") == "01 12 09 00 0D")
    #expect(small.ask("12 0900 010000") == "01 12 09 00 0D")
    #expect(small.ask("12 0900 0200") == "01 12 09 00 FD")
    #expect(small.ask("12 0900 0300") == "01 12 09 00 FD")
    #expect(small.ask("12 0900 FDFF") == "13")  // reserved bits are not looked at
    #expect(small.ask("0A 0900") == "0B 01 00")
    #expect(small.ask("12 0900 0000") == "13")
    #expect(small.ask("0A 0900") == "0B 00 00")
    let large = TestServer<LargeTable>()
    #expect(large.ask("12 1200 0200") == "13")
    #expect(large.ask("0A 1800") == "0B 00 00")
    #expect(large.ask("12 1800 0100") == "13")
    #expect(large.ask("0A 1200") == "0B 02 00")
    #expect(large.server.configuration(slot: 7, on: ConnectionID(index: 0)) == .indications)
    #expect(large.server.configuration(slot: 8, on: ConnectionID(index: 0)) == .none)
    #expect(large.server.configuration(slot: 0, on: ConnectionID(index: 9)) == .none)
  }

  @Test("GAW/SR/BV-05 a long value in parts, echoed, then executed as one")
  func longWrite() {
    #expect(
      small.ask("16 0800 0000 000102030405060708090A0B0C0D0E0F1011")
        == "17 08 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    #expect(small.ask("16 0800 1200 1213") == "17 08 00 12 00 12 13")
    #expect(small.values.written.isEmpty)
    #expect(small.ask("18 01") == "19")
    #expect(small.values.written.count == 1)
    #expect(small.values.written.first?.value == [UInt8](0..<20))
    #expect(small.values.written.first?.withResponse == true)
    #expect(small.ask("18 01") == "19")  // nothing is queued any more
    #expect(small.values.written.count == 1)
  }

  @Test(
    "A value of 512 bytes in parts of 18 fits; a byte more is Invalid Attribute Value Length, more still Prepare Queue Full"
  )
  func longestWrite() {
    for (length, outcome) in [(512, "19"), (513, "01 18 08 00 0D")] {
      let server = TestServer<SmallTable>()
      let value = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      for offset in stride(from: 0, to: length, by: 18) {
        let part = value[offset..<min(offset + 18, length)]
        let request = [0x16, 8, 0, UInt8(offset & 255), UInt8(offset >> 8)] + part
        #expect(server.answer(request) == [0x17] + request.dropFirst())
      }
      #expect(server.ask("18 01") == outcome)
      #expect(server.values.written.map(\.value) == (length == 512 ? [value] : []))
      #expect(server.ask("18 01") == "19")
    }
    var answers: [String] = []
    for index in 0..<30 {
      let offset = index * 18
      answers.append(
        hex(
          small.answer(
            [0x16, 8, 0, UInt8(offset & 255), UInt8(offset >> 8)] + [UInt8](repeating: 1, count: 18))))
    }
    #expect(answers[27].hasPrefix("17"))
    #expect(answers[28] == "01 16 08 00 09")
    #expect(small.ask("18 00") == "19")
  }

  @Test(
    "A second value finds no room in the queue, and the first stays: no characteristic allows reliable writes"
  )
  func secondValue() {
    #expect(small.ask("16 0C00 0000 01") == "17 0C 00 00 00 01")
    #expect(small.ask("16 0800 0000 0203") == "01 16 08 00 09")
    #expect(small.ask("16 0C00 0000 04") == "01 16 0C 00 09")
    #expect(small.ask("16 0C00 0100 02") == "17 0C 00 01 00 02")
    #expect(small.ask("18 01") == "19")
    #expect(small.values.written.map(\.value) == [[1, 2]])
  }

  @Test("A client configuration can be prepared, too: whole, or its second byte apart")
  func preparedConfiguration() {
    #expect(small.ask("16 0900 0000 0100") == "17 09 00 00 00 01 00")
    #expect(small.ask("0A 0900") == "0B 00 00")
    #expect(small.ask("18 01") == "19")
    #expect(small.ask("0A 0900") == "0B 01 00")
    #expect(small.ask("16 0900 0000 00") == "17 09 00 00 00 00")
    #expect(small.ask("16 0900 0100 00") == "17 09 00 01 00 00")
    #expect(small.ask("18 01") == "19")
    #expect(small.ask("0A 0900") == "0B 00 00")
    #expect(small.ask("16 0900 0000 0200") == "17 09 00 00 00 02 00")
    #expect(small.ask("18 01") == "01 18 09 00 FD")
    #expect(small.values.written.isEmpty)
    #expect(small.values.prepared.isEmpty)
  }

  @Test(
    "A server without room is asked again with the next value, and a value that it lost is an unlikely error")
  func noRoom() {
    #expect(small.answer(pdu("16 0C00 0000 01") + []) == pdu("17 0C00 0000 01"))
    small.values.prepared = [:]
    #expect(small.ask("16 0C00 0100 02") == "01 16 0C 00 09")
    #expect(small.ask("18 01") == "01 18 0C 00 0E")
    #expect(small.ask("16 0C00 0000 03") == "17 0C 00 00 00 03")
    #expect(small.ask("18 01") == "19")
    #expect(small.values.written.map(\.value) == [[3]])
    // The queue is free for others when there was no room for its first part.
    var values = FullValues()
    func ask(_ request: String) -> String {
      var buffer = pdu(request) + [UInt8](repeating: 0, count: 23)
      var span = buffer.mutableSpan
      let length = small.server.respond(
        to: &span, count: pdu(request).count, on: ConnectionID(index: 0), at: .start, values: &values)
      return hex(Array(buffer[0..<length]))
    }
    #expect(ask("16 0C00 0000 01") == "01 16 0C 00 09")
    #expect(ask("18 01") == "19")
    #expect(small.ask("16 0C00 0000 04", on: 1) == "17 0C 00 00 00 04")
  }

  /// Takes no prepared writes.
  private struct FullValues: AttributeValues {
    mutating func read(
      _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
    ) -> AttributeRead { .length(0) }
    mutating func write(
      _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
    ) -> ATTErrorCode? { nil }
  }

  @Test("GAW/SR/BI-07, BI-08 prepared writes: handle and permission at once, offset and length when executed")
  func prepareErrors() {
    #expect(small.ask("16 0000 0000 01") == "01 16 00 00 01")
    #expect(small.ask("16 F00F 0000 01") == "01 16 F0 0F 01")
    #expect(small.ask("16 0300 0000 01") == "01 16 03 00 03")
    #expect(small.ask("16 0C00 00") == "01 16 00 00 04")
    #expect(small.ask("18 01") == "19")  // nothing of that was queued

    #expect(small.ask("16 0C00 0000 01") == "17 0C 00 00 00 01")
    #expect(small.ask("16 0C00 0500 02") == "17 0C 00 05 00 02")  // a gap
    #expect(small.ask("18 01") == "01 18 0C 00 07")
    #expect(small.ask("18 01") == "19")

    #expect(
      small.ask("16 0C00 0000 000102030405060708090A0B0C0D0E0F1011")
        == "17 0C 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11")
    #expect(small.ask("16 0C00 1200 121314") == "17 0C 00 12 00 12 13 14")
    #expect(small.ask("18 01") == "01 18 0C 00 0D")
    #expect(small.values.written.isEmpty)
  }

  @Test("A refusal by the application ends the execution")
  func executeRefused() {
    #expect(small.ask("16 0C00 0000 01") == "17 0C 00 00 00 01")
    small.values.writeFailure = .valueNotAllowed
    #expect(small.ask("18 01") == "01 18 0C 00 13")
    small.values.writeFailure = nil
    #expect(small.ask("18 01") == "19")
    #expect(small.values.written.isEmpty)
  }

  @Test("GAW/SR/BV-10 a cancelled queue leaves nothing")
  func cancel() {
    #expect(small.ask("16 0C00 0000 01") == "17 0C 00 00 00 01")
    #expect(small.ask("18 00") == "19")
    #expect(small.ask("18 01") == "19")
    #expect(small.values.written.isEmpty)
    #expect(small.ask("18 02") == "01 18 00 00 04")
    #expect(small.ask("18") == "01 18 00 00 04")
    #expect(small.ask("18 01 00") == "01 18 00 00 04")
  }

  @Test("With one queue, a second connection waits until it is free or its owner has sent no part for 2 s")
  func queuePool() {
    #expect(small.ask("16 0C00 0000 01", on: 0) == "17 0C 00 00 00 01")
    #expect(small.ask("16 0C00 0000 02", on: 1) == "01 16 0C 00 09")
    small.now = Instant(milliseconds: 1_983)
    #expect(small.ask("16 0C00 0000 02", on: 1) == "01 16 0C 00 09")
    small.now = Instant(milliseconds: 1_984)
    #expect(small.ask("16 0C00 0000 02", on: 1) == "17 0C 00 00 00 02")
    // The first owner learns that its writes are gone, both ways.
    #expect(small.ask("16 0C00 0100 01", on: 0) == "01 16 0C 00 09")
    #expect(small.ask("18 01", on: 0) == "01 18 00 00 0E")
    #expect(small.ask("18 01", on: 1) == "19")
    #expect(small.values.written.map(\.value) == [[2]])
    #expect(small.ask("16 0C00 0000 03", on: 0) == "17 0C 00 00 00 03")
    small.server.closed(ConnectionID(index: 0))
    #expect(small.ask("16 0C00 0000 04", on: 1) == "17 0C 00 00 00 04")
    #expect(small.ask("18 01", on: 1) == "19")
    #expect(small.values.written.map(\.value) == [[2], [4]])
  }

  @Test(
    "With one queue, an owner that continues sending parts loses it after 10 s to a connection that asks for it"
  )
  func longPreparing() {
    #expect(small.ask("16 0C00 0000 01", on: 0) == "17 0C 00 00 00 01")
    for second in 1...9 {
      small.now = Instant(milliseconds: UInt64(second) * 1000)
      // A part without bytes.
      #expect(small.ask("16 0C00 0100", on: 0) == "17 0C 00 01 00")
      #expect(small.ask("16 0C00 0000 02", on: 1) == "01 16 0C 00 09")
    }
    small.now = Instant(milliseconds: 10_000)
    #expect(small.ask("16 0C00 0000 02", on: 1) == "17 0C 00 00 00 02")
    #expect(small.ask("18 01", on: 1) == "19")
    #expect(small.values.written.map(\.value) == [[2]])
  }

  @Test("What is wrong with one connection's prepared writes does not touch another's")
  func separateQueues() {
    var server = ATTServer<SmallTable, 2, 2>()
    var values = TestValues()
    func ask(_ request: String, on connection: Int) -> String {
      var buffer = pdu(request) + [UInt8](repeating: 0, count: 23)
      var span = buffer.mutableSpan
      let length = server.respond(
        to: &span, count: pdu(request).count, on: ConnectionID(index: connection), at: .start, values: &values
      )
      return hex(Array(buffer[0..<length]))
    }
    #expect(ask("16 0C00 0500 01", on: 0) == "17 0C 00 05 00 01")
    #expect(ask("16 0C00 0000 02", on: 1) == "17 0C 00 00 00 02")
    #expect(ask("18 01", on: 0) == "01 18 0C 00 07")
    #expect(ask("18 01", on: 1) == "19")
    #expect(values.written.map(\.value) == [[2]])
    #expect(values.written.map(\.connection) == [1])
  }
}
