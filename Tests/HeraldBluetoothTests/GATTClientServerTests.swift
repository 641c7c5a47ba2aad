import HeraldBluetooth
import Testing

/// The client against the server, request by request.
@Suite("GATT client and server together")
struct GATTClientServerTests {
  /// Runs a procedure to its end; the events on the way, and the value bytes joined.
  private func run(
    _ procedure: GATTProcedure, _ client: TestClient, _ server: TestServer<SmallTable>
  ) -> (last: GATTClientEvent, value: [UInt8], characteristics: [GATTCharacteristic]) {
    var value: [UInt8] = []
    var characteristics: [GATTCharacteristic] = []
    client.mtu = server.server.mtu(ConnectionID(index: 0))
    #expect(client.begin(procedure))
    for _ in 0..<200 {
      let answer = server.ask(client.next())
      let event = client.receive(answer)
      switch event {
      case .value(let offset, let from), .lastValue(let offset, let from):
        #expect(offset == value.count)
        value += pdu(answer)[from...]
      case .characteristics: characteristics += client.characteristics(answer)
      default: break
      }
      if !client.client.isBusy { return (event, value, characteristics) }
    }
    Issue.record("the procedure does not end")
    return (.none, value, characteristics)
  }

  @Test("HP-01 all a Herald peer does, at every ATT_MTU", arguments: [23, 24, 26, 50, 100, 185, 247])
  func everything(mtu: Int) {
    let server = TestServer<SmallTable>()
    let client = TestClient()
    #expect(run(.exchangeMTU(mtu), client, server).last == .mtu(247))
    server.server.agreed(peerMTU: mtu, on: ConnectionID(index: 0))
    let uuid = UUID128(0xFFFE_FDFC_FBFA_F9F8, 0xF7F6_F5F4_F3F2_F1F0)
    let range = HandleRange(first: 6, last: 12)
    #expect(run(.discoverService128(uuid), client, server).last == .service(range))
    #expect(
      run(.discoverService16(UUID16(0x180A)), client, server).last
        == .service(HandleRange(first: 13, last: 17)))
    #expect(run(.discoverService16(UUID16(0xFCF6)), client, server).last == .finished)
    let found = run(.discoverCharacteristics(range), client, server)
    #expect(found.last == .characteristics(isLast: true))
    #expect(found.characteristics.map(\.value) == [8, 12])
    #expect(found.characteristics.map(\.properties) == [0x1A, 0x08])
    for length in [0, 1, mtu - 2, mtu - 1, mtu, 2 * (mtu - 1), 511, 512] where length <= 512 {
      server.values.payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(run(.readLong(8), client, server).value == server.values.payload)
      client.value = server.values.payload
      #expect(run(.write(8, length: length), client, server).last == .finished)
      #expect(server.values.written.last?.value == client.value)
    }
    #expect(
      run(.subscribe(HandleRange(first: 8, last: 12), .notifications), client, server).last == .finished)
    #expect(server.server.configuration(slot: 0, on: ConnectionID(index: 0)) == .notifications)
    #expect(
      run(.subscribe(HandleRange(first: 12, last: 12), .notifications), client, server).last
        == .failed(.noConfiguration))
    client.value = [1]
    #expect(run(.write(5, length: 1), client, server).last == .failed(.refused(.writeNotPermitted)))
    #expect(run(.readLong(99), client, server).last == .failed(.refused(.invalidHandle)))
  }
}
