import HeraldBluetooth
import HeraldHAL
import Testing

/// A client whose requests and responses are hexadecimal.
final class TestClient {
  var client = GATTClient()
  var mtu = 23
  var now = Instant.start
  var value: [UInt8] = []

  /// The next request.
  func next() -> String {
    var buffer = [UInt8](repeating: 0, count: 247)
    var span = buffer.mutableSpan
    let value = value
    let length = client.nextRequest(into: &span, mtu: mtu, value: value.span, at: now)
    return hex(Array(buffer[0..<length]))
  }

  /// Starts a procedure.
  func begin(_ procedure: GATTProcedure, stepTimeout: Interval = .seconds(30)) -> Bool {
    client.begin(procedure, stepTimeout: stepTimeout)
  }

  /// What the passing of time brings about.
  func expire(at now: Instant) -> GATTClientEvent { client.expire(at: now) }

  /// What a PDU brings about.
  func receive(_ bytes: String) -> GATTClientEvent {
    let bytes = pdu(bytes)
    return client.receive(bytes.span, mtu: mtu)
  }

  /// The characteristics in a PDU.
  func characteristics(_ bytes: String) -> [GATTCharacteristic] {
    let bytes = pdu(bytes)
    var found: [GATTCharacteristic] = []
    var characteristics = GATTCharacteristics(bytes.span)
    while let characteristic = characteristics.next() { found.append(characteristic) }
    return found
  }
}

@Suite("GATT client: discovery, subscriptions and deadlines")
struct GATTClientTests {
  let peer = TestClient()

  private func begin(_ procedure: GATTProcedure) { #expect(peer.begin(procedure)) }

  private let wanted = UUID128(0x4281_32AF_4746_42D3, 0x801E_4572_D65B_FD9B)
  private let wantedOnAir = "9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"

  @Test("GAC/CL/BV-01 MTU exchange")
  func exchangeMTU() {
    begin(.exchangeMTU(247))
    #expect(peer.next() == "02 F7 00")
    #expect(peer.next() == "")  // one request at a time
    #expect(peer.receive("03 B9 00") == .mtu(185))
    #expect(!peer.client.isBusy)
    begin(.exchangeMTU(247))
    #expect(peer.next() == "02 F7 00")
    #expect(peer.receive("03 05 00") == .mtu(23))
    begin(.exchangeMTU(247))
    #expect(peer.next() == "02 F7 00")
    #expect(peer.receive("01 02 00 00 06") == .finished)  // and what the peer's own exchange brought stays
    begin(.exchangeMTU(247))
    #expect(peer.next() == "02 F7 00")
    #expect(peer.receive("03 B9") == .failed(.malformed))
    #expect(!peer.begin(.exchangeMTU(22)))
    #expect(!peer.begin(.exchangeMTU(518)))
  }

  @Test("GAD/CL/BV-02 a service by 16-bit UUID")
  func service16() {
    begin(.discoverService16(UUID16(0xFCF6)))
    #expect(peer.next() == "06 01 00 FF FF 00 28 F6 FC")
    #expect(peer.receive("07 10 00 1F 00") == .service(HandleRange(first: 16, last: 31)))
    #expect(peer.next() == "")
    begin(.discoverService16(UUID16(0xFCF6)))
    #expect(peer.next() == "06 01 00 FF FF 00 28 F6 FC")
    #expect(peer.receive("01 06 01 00 0A") == .finished)
  }

  @Test("GAD/CL/BV-02 the next service with a UUID, behind the one that was found")
  func nextService() {
    begin(.discoverService16(UUID16(0xFCF6)))
    peer.client.search(behind: 0x011F)
    #expect(peer.next() == "06 20 01 FF FF 00 28 F6 FC")
    #expect(peer.receive("07 20 01 2F 01") == .service(HandleRange(first: 0x120, last: 0x12F)))
    begin(.discoverService128(wanted))
    peer.client.search(behind: 0xFFFE)
    #expect(peer.next() == "06 FF FF FF FF 00 28 " + wantedOnAir)
    // A service in front of what was asked for is none.
    #expect(peer.receive("07 10 00 1F 00") == .failed(.malformed))
    // There is nothing behind the last handle, and nothing to narrow in another procedure.
    begin(.discoverService128(wanted))
    peer.client.search(behind: 0xFFFF)
    #expect(peer.next() == "06 01 00 FF FF 00 28 " + wantedOnAir)
    #expect(peer.receive("01 06 01 00 0A") == .finished)
    begin(.readLong(3))
    peer.client.search(behind: 0x011F)
    #expect(peer.next() == "0A 03 00")
  }

  @Test("GAD/CL/BV-02 a service by 128-bit UUID, in a request of 23 bytes")
  func service128() {
    begin(.discoverService128(wanted))
    #expect(peer.next() == "06 01 00 FF FF 00 28 " + wantedOnAir)
    // Of two the first counts.
    #expect(
      peer.receive("07 10 00 1F 00 20 00 FF FF") == .service(HandleRange(first: 16, last: 31)))
  }

  @Test(
    "A service that cannot be is malformed",
    arguments: ["07", "07 10 00", "07 10 00 1F", "07 10 00 1F 00 01", "07 10 00 0F 00", "07 00 00 0F 00"])
  func malformedService(response: String) {
    begin(.discoverService128(wanted))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.malformed))
    #expect(!peer.client.isBusy)
    #expect(!peer.client.isBroken)
  }

  @Test("GAD/CL/BV-04 characteristics of a service, over several responses")
  func characteristics() {
    begin(.discoverCharacteristics(HandleRange(first: 6, last: 12)))
    #expect(peer.next() == "08 06 00 0C 00 03 28")
    let first = "09 15 07 00 1A 08 00 9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"
    #expect(peer.receive(first) == .characteristics(isLast: false))
    #expect(
      peer.characteristics(first) == [
        GATTCharacteristic(declaration: 7, value: 8, properties: 0x1A, uuid: wanted)
      ])
    #expect(peer.next() == "08 09 00 0C 00 03 28")
    #expect(peer.receive("09 07 0A 00 02 0B 00 00 2A") == .characteristics(isLast: false))
    #expect(
      peer.characteristics("09 07 0A 00 02 0B 00 00 2A") == [
        GATTCharacteristic(
          declaration: 10, value: 11, properties: 2,
          uuid: UUID128(0x0000_2A00_0000_1000, 0x8000_0080_5F9B_34FB)
        )
      ])
    #expect(peer.next() == "08 0C 00 0C 00 03 28")
    #expect(peer.receive("01 08 0C 00 0A") == .finished)
  }

  @Test("The last value at the end of the service ends the search, without asking again")
  func lastCharacteristic() {
    begin(.discoverCharacteristics(HandleRange(first: 6, last: 0xFFFF)))
    #expect(peer.next() == "08 06 00 FF FF 03 28")
    let both = "09 07 07 00 02 08 00 00 2A FE FF 02 FF FF 01 2A"
    #expect(peer.receive(both) == .characteristics(isLast: true))
    #expect(peer.characteristics(both).map(\.value) == [8, 0xFFFF])
    #expect(!peer.client.isBusy)
  }

  @Test(
    "Characteristics that cannot be are malformed",
    arguments: [
      "09", "09 07", "09 07 07 00 02 08 00 00", "09 07 07 00 02 08 00 00 2A 01", "09 06 07 00 02 08 00 00",
      "09 00", "09 15 07 00 02 08 00 00 2A", "09 07 05 00 02 08 00 00 2A", "09 07 07 00 02 07 00 00 2A",
      "09 07 07 00 02 0D 00 00 2A", "09 07 0D 00 02 0E 00 00 2A",
      "09 07 07 00 02 08 00 00 2A 07 00 02 08 00 00 2A", "09 07 09 00 02 0A 00 00 2A 07 00 02 08 00 00 2A",
    ])
  func malformedCharacteristics(response: String) {
    begin(.discoverCharacteristics(HandleRange(first: 6, last: 12)))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.malformed))
    #expect(!peer.client.isBusy)
  }

  @Test("GAN/CL/BV-01 subscribe: find the configuration behind the value, write it")
  func subscribe() {
    begin(.subscribe(HandleRange(first: 8, last: 12), .notifications))
    #expect(peer.next() == "04 09 00 0C 00")
    #expect(peer.receive("05 01 09 00 01 29 0A 00 02 29 0B 00 03 28") == .none)
    #expect(peer.next() == "12 0A 00 01 00")
    #expect(peer.receive("13") == .finished)
  }

  @Test("Subscribe continues past descriptors with 128-bit types, and past full responses")
  func subscribeOnwards() {
    begin(.subscribe(HandleRange(first: 8, last: 0xFFFF), .indications))
    #expect(peer.next() == "04 09 00 FF FF")
    #expect(peer.receive("05 02 09 00 " + wantedOnAir) == .none)
    #expect(peer.next() == "04 0A 00 FF FF")
    #expect(peer.receive("05 01 0A 00 01 29") == .none)
    #expect(peer.next() == "04 0B 00 FF FF")
    #expect(peer.receive("05 01 0B 00 02 29") == .none)
    #expect(peer.next() == "12 0B 00 02 00")
    #expect(peer.receive("01 12 0B 00 FD") == .failed(.refused(.improperlyConfigured)))
  }

  @Test(
    "No configuration: the next characteristic or service comes first, or the end",
    arguments: [
      "05 01 09 00 03 28 0A 00 02 29", "05 01 09 00 00 28 0A 00 02 29", "05 01 09 00 01 28", "01 04 09 00 0A",
      "05 01 0C 00 01 29",
    ])
  func noConfiguration(response: String) {
    begin(.subscribe(HandleRange(first: 8, last: 12), .notifications))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.noConfiguration))
  }

  @Test(
    "Descriptors that cannot be are malformed",
    arguments: [
      "05", "05 01", "05 02", "05 03 09 00 01 29", "05 00", "05 01 09 00 01", "05 01 09", "05 01 08 00 01 29",
      "05 01 0D 00 01 29", "05 01 0A 00 01 29 09 00 01 29", "05 01 09 00 01 29 0A", "05 02 09 00 01 29",
    ])
  func malformedDescriptors(response: String) {
    begin(.subscribe(HandleRange(first: 8, last: 12), .notifications))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.malformed))
  }

  @Test("A value at the end of its service has no configuration")
  func nothingBehind() {
    begin(.subscribe(HandleRange(first: 8, last: 8), .notifications))
    #expect(peer.next() == "04 08 00 08 00")
    #expect(peer.receive("05 01 08 00 37 2A") == .failed(.noConfiguration))
  }

  @Test("GAN/CL, GAI/CL notifications and indications come at any time and disturb nothing")
  func notifications() {
    #expect(peer.receive("1B 08 00 01 02") == .notification(handle: 8, from: 3))
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive("1B 08 00") == .notification(handle: 8, from: 3))
    #expect(peer.receive("1D 08 00 07") == .indication(handle: 8, from: 3))
    #expect(GATTClient.confirmation == 0x1E)
    #expect(peer.receive("1B 08") == .none)
    #expect(peer.receive("1D") == .none)
    #expect(peer.receive("23 08 00 01 00 07 09 00 01 00 07") == .none)
    #expect(peer.receive("0B 01") == .lastValue(offset: 0, from: 1))
  }

  @Test("A response nobody waits for is ignored")
  func unasked() {
    #expect(peer.receive("0B 01") == .none)
    #expect(peer.receive("01 0A 08 00 02") == .none)
    #expect(peer.receive("") == .none)
    begin(.readLong(8))
    #expect(peer.receive("0B 01") == .none)  // begun, but not asked yet
    #expect(peer.next() == "0A 08 00")
    #expect(!peer.client.isBroken)
  }

  @Test(
    "Another response than asked for fails the procedure, and the connection with it",
    arguments: ["0D 01", "13", "09 07 07 00 02 08 00 00 2A", "01 0C 08 00 02", "01", "21 00"])
  func unexpected(response: String) {
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.unexpectedResponse))
    #expect(peer.client.isBroken)
    #expect(!peer.begin(.readLong(8)))
  }

  @Test(
    "An Error Response to our request that is cut short is malformed",
    arguments: ["01 0A", "01 0A 08 00", "01 0A 08 00 02 00"])
  func malformedError(response: String) {
    begin(.readLong(8))
    _ = peer.next()
    #expect(peer.receive(response) == .failed(.malformed))
    #expect(!peer.client.isBroken)
  }

  @Test("A stalled transaction fails after its timeout, 30 s at the most, and the connection with it")
  func timeout() {
    #expect(peer.client.deadline == .never)
    #expect(peer.begin(.readLong(8), stepTimeout: .minutes(5)))
    #expect(peer.client.deadline == .never)
    peer.now = Instant(milliseconds: 1000)
    _ = peer.next()
    #expect(peer.client.deadline == Instant(milliseconds: 31_000))
    #expect(peer.expire(at: Instant(milliseconds: 30_999)) == .none)
    #expect(peer.expire(at: Instant(milliseconds: 31_000)) == .failed(.timeout))
    #expect(peer.client.isBroken)
    #expect(peer.client.deadline == .never)
    #expect(peer.expire(at: .never) == .none)
    #expect(peer.receive("0B 01") == .none)  // too late
    #expect(!peer.begin(.readLong(8)))
    peer.client = GATTClient()
    #expect(peer.begin(.readLong(8)))
  }

  @Test("Each step has its own deadline")
  func stepDeadlines() {
    #expect(peer.begin(.readLong(8), stepTimeout: .seconds(3)))
    _ = peer.next()
    #expect(peer.client.deadline == Instant(milliseconds: 3000))
    peer.now = Instant(milliseconds: 2900)
    _ = peer.receive("0B 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12 13 14 15")
    #expect(peer.client.deadline == .never)
    _ = peer.next()
    #expect(peer.client.deadline == Instant(milliseconds: 5900))
  }

  @Test("A request the radio did not take is written again, the same")
  func notSent() {
    peer.value = [UInt8](0..<30)
    begin(.write(12, length: 30))
    let first = peer.next()
    peer.client.notSent()
    #expect(peer.client.deadline == .never)
    #expect(peer.next() == first)
  }

  @Test("Cancelling is clean between requests and breaks the connection during one")
  func cancel() {
    begin(.readLong(8))
    peer.client.cancel()
    #expect(!peer.client.isBusy)
    #expect(!peer.client.isBroken)
    begin(.readLong(8))
    _ = peer.next()
    #expect(!peer.begin(.readLong(9)))
    peer.client.cancel()
    #expect(!peer.client.isBusy)
    #expect(peer.client.isBroken)
  }

  @Test("Bad ranges are refused at once")
  func badRanges() {
    #expect(!peer.begin(.discoverCharacteristics(HandleRange(first: 0, last: 5))))
    #expect(!peer.begin(.discoverCharacteristics(HandleRange(first: 6, last: 5))))
    #expect(!peer.begin(.subscribe(HandleRange(first: 0, last: 5), .both)))
    #expect(!peer.begin(.subscribe(HandleRange(first: 6, last: 5), .both)))
    #expect(!peer.begin(.readLong(0)))
  }
}
