import Testing

@Suite("ATT reads")
struct ATTReadTests {
  let small = TestServer<SmallTable>()
  let large = TestServer<LargeTable>()

  @Test("GAR/SR/BV-01 a value, constant and supplied, cut at ATT_MTU − 1")
  func read() {
    #expect(small.ask("0A 0300") == "0B 42 61 64 67 65")
    #expect(small.ask("0A 0500") == "0B 00 02")
    #expect(small.ask("0A 0100") == "0B 00 18")
    #expect(
      small.ask("0A 0800") == "0B 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15")
    #expect(
      large.ask("0A 0700")
        == "0B 31 31 31 31 31 32 32 32 32 32 33 33 33 33 33 34 34 34 34 34 35 35")
    small.values.name = []
    #expect(small.ask("0A 0300") == "0B")
  }

  @Test(
    "GAR/SR/BI-01, BI-02 not permitted; Invalid Handle, not Attribute Not Found, for a handle that is not there"
  )
  func readErrors() {
    #expect(small.ask("0A 0C00") == "01 0A 0C 00 02")
    #expect(small.ask("0A 0000") == "01 0A 00 00 01")
    #expect(small.ask("0A 1200") == "01 0A 12 00 01")
    #expect(small.ask("0A FFFF") == "01 0A FF FF 01")
    #expect(small.ask("0A 03") == "01 0A 00 00 04")
    #expect(small.ask("0A 0300 00") == "01 0A 00 00 04")
    small.values.readFailure = .insufficientResources
    #expect(small.ask("0A 0300") == "01 0A 03 00 11")
  }

  @Test("GAR/SR/BV-04 a long value in pieces: nothing at its end, Invalid Offset beyond")
  func readBlob() {
    #expect(
      small.ask("0C 0800 1600") == "0D 16 17 18 19 1A 1B 1C 1D 1E 1F 20 21 22 23 24 25 26 27 28 29 2A 2B")
    #expect(small.ask("0C 0800 2C00") == "0D 2C 2D 2E 2F 30 31")
    #expect(small.ask("0C 0800 3200") == "0D")
    #expect(small.ask("0C 0800 3300") == "01 0C 08 00 07")
    #expect(small.ask("0C 0800 FFFF") == "01 0C 08 00 07")
    #expect(large.ask("0C 0F00 2C00") == "0D 2F")
    #expect(large.ask("0C 0F00 2D00") == "0D")
    #expect(large.ask("0C 0F00 2E00") == "01 0C 0F 00 07")
    #expect(small.ask("0C 0500 0000") == "0D 00 02")  // a short value, too
    #expect(small.ask("0C 0500 0200") == "0D")
  }

  @Test("GAR/SR/BI-12, BI-14 Read Blob errors")
  func readBlobErrors() {
    #expect(small.ask("0C 0C00 0000") == "01 0C 0C 00 02")
    #expect(small.ask("0C F00F 0000") == "01 0C F0 0F 01")
    #expect(small.ask("0C 0000 0000") == "01 0C 00 00 01")
    #expect(small.ask("0C 0800 00") == "01 0C 00 00 04")
    small.values.readFailure = .unlikelyError
    #expect(small.ask("0C 0800 0000") == "01 0C 08 00 0E")
  }

  @Test("HP-41 a supplier is asked with each offset, and the pieces join to the value at every ATT_MTU")
  func longReads() {
    for mtu in 23...247 {
      let server = TestServer<SmallTable>(mtu: mtu)
      server.values.payload = (0..<510).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var value = Array(server.answer(pdu("0A 0800")).dropFirst())
      while true {
        let offset = UInt16(value.count)
        let piece = server.answer([0x0C, 8, 0, UInt8(offset & 255), UInt8(offset >> 8)])
        #expect(piece.first == 0x0D)
        value += piece.dropFirst()
        if piece.count < mtu { break }
      }
      #expect(value == server.values.payload)
      #expect(server.values.reads.first?.offset == 0)
    }
  }

  @Test("GAR/SR/BV-03 by type, 16 and 128 bits")
  func readByType() {
    #expect(small.ask("08 0100 FFFF 002A") == "09 07 03 00 42 61 64 67 65")
    #expect(small.ask("08 0100 FFFF 242A") == "09 04 0F 00 4D 31")
    #expect(large.ask("08 0100 FFFF E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEF") == "09 03 10 00 01")
    #expect(
      large.ask("08 0100 FFFF FB349B5F80000080 0010 0000 01B0 0000") == "09 03 03 00 11")
    #expect(small.ask("08 0100 FFFF 0229") == "09 04 09 00 00 00")
  }

  @Test("By type: cut at ATT_MTU − 4, and it stops at the first of another length instead of passing over it")
  func readByTypeLengths() {
    #expect(
      large.ask("08 0100 FFFF 02B0") == "09 15 07 00 31 31 31 31 31 32 32 32 32 32 33 33 33 33 33 34 34 34 34"
    )
    let wide = TestServer<LargeTable>(mtu: 247)
    let first = "09 1B 07 00 31 31 31 31 31 32 32 32 32 32 33 33 33 33 33 34 34 34 34 34 35 35 35 35 35"
    #expect(wide.ask("08 0100 FFFF 02B0") == first)
    #expect(wide.ask("08 0800 FFFF 02B0") == "09 04 09 00 41 42")
    #expect(
      wide.ask("08 0A00 FFFF 02B0")
        == "09 1B 0C 00 31 31 31 31 31 32 32 32 32 32 33 33 33 33 33 34 34 34 34 34 35 35 35 35 35")
  }

  @Test("By type: a value longer than 253 bytes is cut to 253, the length byte never wraps")
  func readByTypeClamp() {
    let server = TestServer<SmallTable>(maximumMTU: 517, mtu: 517)
    server.values.name = [UInt8](repeating: 0x55, count: 300)
    let answer = server.answer(pdu("08 0100 FFFF 002A"), bufferSize: 517)
    #expect(answer.count == 257)
    #expect(answer[1] == 255)
    #expect(Array(answer[2...4]) == [3, 0, 0x55])
  }

  @Test("GAR/SR/BI-06 by type: the first that may not be read fails it, a later one ends it")
  func readByTypePermission() {
    #expect(large.ask("08 0100 FFFF 07B0") == "01 08 15 00 02")
    #expect(large.ask("08 1600 FFFF 07B0") == "09 03 17 00 44")  // and not 1C, behind 1A that may not be read
    #expect(large.ask("08 1B00 FFFF 07B0") == "09 03 1C 00 44")
    #expect(small.ask("08 0100 FFFF B0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF") == "01 08 0C 00 02")
    small.values.readFailure = .insufficientEncryption
    #expect(small.ask("08 0100 FFFF 002A") == "01 08 03 00 0F")
  }

  @Test("GAR/SR/BI-07, BI-08 by type: ranges, unknown types, lengths")
  func readByTypeErrors() {
    #expect(small.ask("08 0100 FFFF F00F") == "01 08 01 00 0A")
    #expect(small.ask("08 0200 0100 0028") == "01 08 02 00 01")
    #expect(small.ask("08 0000 FFFF 0028") == "01 08 00 00 01")
    #expect(small.ask("08 1200 FFFF 0028") == "01 08 12 00 0A")
    #expect(small.ask("08 0100 FFFF 002A 00 00") == "01 08 00 00 04")
    #expect(small.ask("08 0100 FFFF") == "01 08 00 00 04")
  }

  @Test("GAR/SR/BV-05 several values one behind the other, cut at ATT_MTU")
  func readMultiple() {
    #expect(small.ask("0E 0500 0300") == "0F 00 02 42 61 64 67 65")
    #expect(small.ask("0E 0F00 0500 0A00 0100") == "0F 4D 31 00 02 48 69 00 18")
    #expect(
      small.ask("0E 0500 0800 0300")
        == "0F 00 02 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13")
  }

  @Test(
    "Several values, each behind its length; a cut value keeps its length, a tuple without room is left out")
  func readMultipleVariable() {
    #expect(small.ask("20 0500 0300") == "21 02 00 00 02 05 00 42 61 64 67 65")
    #expect(
      small.ask("20 0500 0800 0300")
        == "21 02 00 00 02 32 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F")
    small.values.name = [UInt8](repeating: 7, count: 16)
    // 1 + 18 + 4 = 23: full to the byte, so the third is not there at all.
    #expect(small.answer(pdu("20 0300 0500 0500")).count == 23)
    small.values.name = [UInt8](repeating: 7, count: 19)
    // One byte is left, too few for a length.
    #expect(small.answer(pdu("20 0300 0500")).count == 22)
    #expect(small.answer(pdu("20 0300 0500 0500")).count == 22)
  }

  @Test(
    "GAR/SR/BI-18…22 several values: the handle at fault is named, even when its value would not have fitted")
  func readMultipleErrors() {
    for opcode in ["0E", "20"] {
      #expect(small.ask(opcode + "0500 0C00") == "01 \(opcode) 0C 00 02")
      #expect(small.ask(opcode + "0500 FF00") == "01 \(opcode) FF 00 01")
      #expect(small.ask(opcode + "0000 0500") == "01 \(opcode) 00 00 01")
      #expect(small.ask(opcode + "0800 0800 0C00") == "01 \(opcode) 0C 00 02")
      #expect(small.ask(opcode + "0500") == "01 \(opcode) 00 00 04")
      #expect(small.ask(opcode + "0500 03") == "01 \(opcode) 00 00 04")
    }
    let wide = TestServer<SmallTable>(mtu: 247)
    #expect(wide.answer([0x0E] + (0..<33).flatMap { _ in [5, 0] as [UInt8] }) == pdu("01 0E 0000 11"))
    #expect(wide.answer([0x0E] + (0..<32).flatMap { _ in [5, 0] as [UInt8] }).count == 65)
  }
}
