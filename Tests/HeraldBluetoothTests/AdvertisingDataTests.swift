import HeraldBluetooth
import HeraldHAL
import Testing

@Suite("Advertising data")
struct AdvertisingDataTests {
  /// The structures found, as "type:data" in hexadecimal.
  private func structures(_ data: String) -> [String] {
    let bytes = pdu(data)
    var found: [String] = []
    var structures = AdvertisingData(bytes.span)
    while structures.next() {
      #expect(array(structures.bytes) == Array(bytes[structures.range]))
      found.append(hex([structures.type.rawValue]) + ":" + hex(array(structures.bytes)))
    }
    // At the end it stays there.
    let another = structures.next()
    #expect(!another)
    return found
  }

  @Test("Structures one after the other")
  func walk() {
    #expect(
      structures("02011A 020A0C 0BFF4C001006071EA3DD89E0")
        == ["01:1A", "0A:0C", "FF:4C 00 10 06 07 1E A3 DD 89 E0"])
    #expect(
      structures("02011A 020A0C 11079BFD5BD672451E80D3424647AF328142")
        == ["01:1A", "0A:0C", "07:9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"])
    #expect(structures("0201060AFF4C001005421C1E616A") == ["01:06", "FF:4C 00 10 05 42 1C 1E 61 6A"])
    #expect(structures("") == [])
  }

  @Test("A structure without data is one")
  func noData() {
    #expect(structures("0109 020106") == ["09:", "01:06"])
    #expect(structures("01FF") == ["FF:"])
  }

  @Test("A structure is begun where there is room for the whole of it, and else nothing is written")
  func room() {
    for (room, isBegun) in [(4, false), (5, true)] {
      var bytes = [UInt8](repeating: 0xEE, count: room)
      let span = bytes.mutableSpan
      var writer = ByteWriter(span)
      let began = writer.startAdvertisingStructure(.manufacturerData, length: 3)
      let (overflowed, count) = (writer.overflowed, writer.count)
      #expect(began == isBegun && overflowed != isBegun && count == (isBegun ? 2 : 0))
      #expect(bytes.prefix(2) == (isBegun ? [4, 0xFF] : [0xEE, 0xEE]))
    }
  }

  @Test(
    "The two highest bits of a random address tell its kind",
    arguments: [(0x0000, false, false), (0x3FFF, false, false), (0x4000, true, false), (0x7FFF, true, false)]
      + [(0x8000, false, false), (0xBFFF, false, false), (0xC000, false, true)] as [(UInt16, Bool, Bool)])
  func addressKinds(high: UInt16, isResolvable: Bool, isStatic: Bool) {
    let address = DeviceAddress(high: high, low: 1, kind: .random)
    #expect(address.isResolvablePrivate == isResolvable && address.isStaticRandom == isStatic)
    let other = DeviceAddress(high: high, low: 1, kind: .public)
    #expect(!other.isResolvablePrivate && !other.isStaticRandom)
  }

  @Test("A length of zero ends the data, whatever comes behind")
  func zeroEnds() {
    #expect(structures("02011A 00 020A0C") == ["01:1A"])
    #expect(structures("00") == [])
    #expect(structures("0000000000") == [])
  }

  @Test("A structure that runs past the end is dropped and ends the data")
  func overrun() {
    #expect(structures("02011A 0AFF4C001005031C0B4C") == ["01:1A"])
    #expect(
      structures("02011A0AFF4C001005031C0B4CAC02011A0AFF4C00100503")
        == ["01:1A", "FF:4C 00 10 05 03 1C 0B 4C AC", "01:1A"])
    #expect(structures("03") == [])
    #expect(structures("0201") == [])
    #expect(structures("FF01") == [])
    #expect(structures("02011A 05") == ["01:1A"])
  }

  @Test("Extended data: a structure of 254 bytes, 1650 bytes in all")
  func long() {
    let structure = [0xFF, 0xFF] + [UInt8](repeating: 7, count: 254)
    let data = (0..<6).flatMap { _ in structure }
    var structures = AdvertisingData(data.span)
    var count = 0
    while structures.next() {
      #expect(structures.bytes.count == 254)
      count += 1
    }
    #expect(count == 6)
  }

  /// What a builder writes into a buffer of 31 bytes, and whether it overflowed.
  private func built(_ build: (inout ByteWriter) -> Void) -> (String, Bool) {
    var buffer = [UInt8](repeating: 0, count: 31)
    var count = 0
    var overflowed = false
    do {
      var writer = ByteWriter(buffer.mutableSpan)
      build(&writer)
      count = writer.count
      overflowed = writer.overflowed
    }
    return (hex(Array(buffer[0..<count])), overflowed)
  }

  @Test("HP-33 both service UUIDs and flags fit in 31 bytes")
  func bothServices() {
    let built = built {
      $0.advertisingFlags(0x06)
      $0.advertisingService(UUID16(0xFCF6))
      $0.advertisingService(UUID128(0x4281_32AF_4746_42D3, 0x801E_4572_D65B_FD9B))
    }
    #expect(
      built.0 == "02 01 06 03 03 F6 FC 11 07 9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42")
    #expect(!built.1)
  }

  @Test("Manufacturer data, service data, power, names")
  func others() {
    let six: [UInt8] = [1, 2, 3, 4, 5, 6]
    let name = Array("Hi".utf8)
    let built = built {
      $0.advertisingManufacturerData(company: 0xFFFA, six.span)
      $0.advertisingServiceData(UUID16(0xFCF6), six.span)
      $0.advertisingTxPower(-12)
      $0.advertisingStructure(.completeName, name.span)
    }
    #expect(
      built.0 == "09 FF FA FF 01 02 03 04 05 06 09 16 F6 FC 01 02 03 04 05 06 02 0A F4 03 09 48 69")
    #expect(!built.1)
  }

  @Test("What does not fit is not begun, and nothing after it is appended")
  func overflow() {
    let data = [UInt8](repeating: 9, count: 29)
    let full = built { $0.advertisingStructure(.manufacturerData, data.span) }
    #expect(full.0.hasPrefix("1E FF 09"))
    #expect(!full.1)
    let over = built {
      $0.advertisingFlags(0x06)
      $0.advertisingStructure(.manufacturerData, data.span)
      $0.advertisingTxPower(0)
    }
    #expect(over == ("02 01 06", true))
    let huge = [UInt8](repeating: 9, count: 300)
    #expect(built { $0.advertisingStructure(.manufacturerData, huge.span) } == ("", true))
    #expect(built { $0.advertisingManufacturerData(company: 1, huge.span) } == ("", true))
  }
}
