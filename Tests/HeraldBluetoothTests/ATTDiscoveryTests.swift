import Testing

/// Each request with its response, as bytes on air.
@Suite("ATT discovery")
struct ATTDiscoveryTests {
  let small = TestServer<SmallTable>()
  let large = TestServer<LargeTable>()

  @Test("GAD/SR/BV-01 all primary services, one response per UUID size")
  func primaryServices() {
    #expect(small.ask("10 0100 FFFF 0028") == "11 06 01 00 05 00 00 18")
    #expect(
      small.ask("10 0600 FFFF 0028")
        == "11 14 06 00 0C 00 F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 FA FB FC FD FE FF")
    #expect(small.ask("10 0D00 FFFF 0028") == "11 06 0D 00 11 00 0A 18")
    #expect(small.ask("10 0E00 FFFF 0028") == "01 10 0E 00 0A")
    #expect(large.ask("10 0100 FFFF 0028") == "11 06 04 00 09 00 0B A0 0A 00 0C 00 0B A0")
    #expect(large.ask("10 1200 FFFF 0028") == "11 06 13 00 1C 00 0B A0")
  }

  @Test("Primary services by the 128-bit form of their type")
  func primaryServicesByLongType() {
    #expect(
      small.ask("10 0100 FFFF FB349B5F80000080 0010 0000 0028 0000") == "11 06 01 00 05 00 00 18")
  }

  @Test("Secondary services group too")
  func secondaryServices() {
    #expect(large.ask("10 0100 FFFF 0128") == "11 06 01 00 03 00 0D A0 1E 00 1E 00 0D A0")
    #expect(small.ask("10 0100 FFFF 0128") == "01 10 01 00 0A")
  }

  @Test("Read By Group Type refuses other types, ranges and lengths")
  func groupErrors() {
    #expect(small.ask("10 0100 FFFF 0328") == "01 10 01 00 10")
    #expect(small.ask("10 0100 FFFF 002A") == "01 10 01 00 10")
    #expect(small.ask("10 0100 FFFF F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF") == "01 10 01 00 10")
    #expect(small.ask("10 0000 FFFF 0028") == "01 10 00 00 01")
    #expect(small.ask("10 0500 0400 0028") == "01 10 05 00 01")
    #expect(small.ask("10 1200 FFFF 0028") == "01 10 12 00 0A")
    #expect(small.ask("10 0100 FFFF 00") == "01 10 00 00 04")
    #expect(small.ask("10 0100 FFFF 0028 00") == "01 10 00 00 04")
  }

  @Test("As many groups as fit, no more")
  func groupLimit() {
    // The third of three would need 2 + 18 = 20 bytes; at 23 all of the same size fit, with a smaller range
    // fewer do.
    #expect(large.ask("10 0A00 0C00 0028") == "11 06 0A 00 0C 00 0B A0")
    #expect(large.answer(pdu("10 0100 FFFF 0028"), bufferSize: 23).count == 14)
  }

  @Test("GAD/SR/BV-02 services by UUID, 16 and 128 bits")
  func servicesByUUID() {
    #expect(small.ask("06 0100 FFFF 0028 0018") == "07 01 00 05 00")
    #expect(small.ask("06 0600 FFFF 0028 0018") == "01 06 06 00 0A")
    #expect(
      small.ask("06 0100 FFFF 0028 F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF") == "07 06 00 0C 00")
    #expect(
      small.ask("06 0100 FFFF 0028 F0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFE") == "01 06 01 00 0A")
    #expect(large.ask("06 0100 FFFF 0028 0BA0") == "07 04 00 09 00 0A 00 0C 00 13 00 1C 00")
    #expect(large.ask("06 1300 FFFF 0028 0BA0") == "07 13 00 1C 00")
    #expect(large.ask("06 1400 FFFF 0028 0BA0") == "01 06 14 00 0A")
    #expect(large.ask("06 0100 FFFF 0028 0DA0") == "01 06 01 00 0A")  // secondary
    #expect(large.ask("06 0100 FFFF 0128 0DA0") == "07 01 00 03 00 1E 00 1E 00")
  }

  @Test("Find By Type Value of what is no group names the handle twice; a characteristic ends at the next")
  func findOtherTypes() {
    #expect(small.ask("06 0100 FFFF 0129 4869") == "07 0A 00 0A 00")
    #expect(large.ask("06 0100 FFFF 02B0 4142") == "07 09 00 09 00")
    #expect(large.ask("06 0100 FFFF 0328 0207 0002 B0") == "07 06 00 07 00")
    #expect(large.ask("06 0100 FFFF 0328 0209 0002 B0") == "07 08 00 09 00")
    #expect(large.ask("06 0100 FFFF 0328 1217 0007 B0") == "07 16 00 18 00")
    // Never what may not be read, nor what is supplied at run time.
    #expect(large.ask("06 0100 FFFF 07B0") == "01 06 01 00 0A")
    #expect(small.ask("06 0100 FFFF 002A 4261646765") == "01 06 01 00 0A")
  }

  @Test("Find By Type Value keeps the value it looks for while its response grows over it")
  func findKeepsValue() {
    #expect(
      hex(large.answer(pdu("06 0100 FFFF 0028 0BA0"), bufferSize: 23))
        == "07 04 00 09 00 0A 00 0C 00 13 00 1C 00")
  }

  @Test(
    "A service ends where a secondary one begins; with a buffer no longer than the request, matches come one by one"
  )
  func findInNarrowBuffer() {
    func find(from first: String, bufferSize: Int) -> String {
      hex(
        large.answer(
          pdu("06 \(first) FFFF 0028 E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEF"), bufferSize: bufferSize))
    }
    #expect(find(from: "0E00", bufferSize: 247) == "07 1D 00 1D 00 1F 00 1F 00 20 00 20 00")
    #expect(find(from: "0E00", bufferSize: 23) == "07 1D 00 1D 00")
    #expect(find(from: "1E00", bufferSize: 23) == "07 1F 00 1F 00")
    #expect(find(from: "2000", bufferSize: 23) == "07 20 00 20 00")
  }

  @Test("Find By Type Value refuses with its own opcode")
  func findErrors() {
    #expect(small.ask("06 0000 FFFF 0028 0018") == "01 06 00 00 01")
    #expect(small.ask("06 0200 0100 0028 0018") == "01 06 02 00 01")
    #expect(small.ask("06 0100 FFFF 00") == "01 06 00 00 04")
    #expect(small.ask("06 0100 FFFF 0028") == "01 06 01 00 0A")
  }

  @Test("GAD/SR/BV-03 included services")
  func includedServices() {
    #expect(large.ask("08 0100 FFFF 0228") == "09 08 05 00 01 00 03 00 0D A0")
    #expect(large.ask("08 0600 FFFF 0228") == "01 08 06 00 0A")
    #expect(small.ask("08 0100 FFFF 0228") == "01 08 01 00 0A")
  }

  @Test("GAD/SR/BV-04 characteristics of a service, up to the first of another length")
  func characteristics() {
    #expect(
      small.ask("08 0100 0500 0328") == "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A")
    #expect(small.ask("08 0500 0500 0328") == "01 08 05 00 0A")
    #expect(
      small.ask("08 0600 0C00 0328")
        == "09 15 07 00 1A 08 00 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF")
    #expect(
      small.ask("08 0900 0C00 0328")
        == "09 15 0B 00 08 0C 00 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 BA BB BC BD BE BF")
    // 5 bytes, 5 bytes, then 19: the response ends before the 19, whatever room there is.
    let wide = TestServer<SmallTable>(mtu: 247)
    #expect(
      wide.ask("08 0100 FFFF 0328") == "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A")
    #expect(wide.ask("08 0E00 FFFF 0328") == "09 07 0E 00 02 0F 00 24 2A 10 00 04 11 00 FF 2A")
  }

  @Test("GAD/SR/BV-06 descriptors, up to the first type of another size")
  func descriptors() {
    #expect(small.ask("04 0900 0A00") == "05 01 09 00 02 29 0A 00 01 29")
    #expect(small.ask("04 0800 0A00") == "05 02 08 00 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 AA AB AC AD AE AF")
    #expect(small.ask("04 0100 FFFF") == "05 01 01 00 00 28 02 00 03 28 03 00 00 2A 04 00 03 28 05 00 01 2A")
    #expect(small.ask("04 1100 FFFF") == "05 01 11 00 FF 2A")
    // As many as fit, to the last byte: 26 = 2 + 6 × 4.
    #expect(
      TestServer<SmallTable>(mtu: 26).ask("04 0100 FFFF")
        == "05 01 01 00 00 28 02 00 03 28 03 00 00 2A 04 00 03 28 05 00 01 2A 06 00 00 28")
    let wide = TestServer<SmallTable>(mtu: 247)
    #expect(
      wide.ask("04 0100 FFFF")
        == "05 01 01 00 00 28 02 00 03 28 03 00 00 2A 04 00 03 28 05 00 01 2A 06 00 00 28 07 00 03 28")
    #expect(
      TestServer<LargeTable>(mtu: 247).ask("04 0F00 1100")
        == "05 02 0F 00 C0 C1 C2 C3 C4 C5 C6 C7 C8 C9 CA CB CC CD CE CF "
        + "10 00 E0 E1 E2 E3 E4 E5 E6 E7 E8 E9 EA EB EC ED EE EF")
  }

  @Test("Find Information refuses with its own opcode")
  func informationErrors() {
    #expect(small.ask("04 0000 FFFF") == "01 04 00 00 01")
    #expect(small.ask("04 0200 0100") == "01 04 02 00 01")
    #expect(small.ask("04 1200 FFFF") == "01 04 12 00 0A")
    #expect(small.ask("04 FFFF FFFF") == "01 04 FF FF 0A")
    #expect(small.ask("04 0100 FF") == "01 04 00 00 04")
    #expect(small.ask("04 0100 FFFF 00") == "01 04 00 00 04")
  }
}
