import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The machine that serves, alone")
struct ServingMachineTests {
  private let phone = DeviceAddress(high: 0xC0DE, low: 1, kind: .random)

  /// A peer's request on connection 0, and the response.
  private func ask(
    _ request: [UInt8], _ serving: inout MachineServing, _ exchange: inout Exchange,
    _ peers: inout MachinePeers, _ context: inout MachineContext
  ) -> [UInt8] {
    var buffer = request + [UInt8](repeating: 0, count: 247 - request.count)
    var span = buffer.mutableSpan
    let count = serving.respond(to: &span, count: request.count, 0, &exchange, &peers, &context)
    return Array(buffer[..<count])
  }

  @Test("Manufacturer, name and model are readable, the defaults as well as configured ones")
  func names() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([1]) })
    var exchange = Exchange()
    serving.opened(
      ConnectionOpened(connection: ConnectionID(index: 0), role: .peripheral, peer: phone), &exchange,
      &peers, &context)
    // Read Request of handles 9, 3 and 11.
    var answer = ask([0x0A, 0x09, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B] + Array("Herald Embedded".utf8))
    answer = ask([0x0A, 0x03, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B])
    serving.values.names = DeviceNames(name: "Badge", model: "M1", manufacturer: "Ward & Co")
    answer = ask([0x0A, 0x09, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B] + Array("Ward & Co".utf8))
    answer = ask([0x0A, 0x03, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B] + Array("Badge".utf8))
    answer = ask([0x0A, 0x0B, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B] + Array("M1".utf8))
  }

  @Test("A name that is too long stays empty")
  func longName() {
    let names = DeviceNames(name: "123456789012345678901", model: "12345678901234567890")
    #expect(names.name.isEmpty && names.model.count == 20)
  }

  @Test("The payload is served, counted, and refused on a connection of a former address")
  func payload() {
    var context = MachineContext.started()
    var peers = MachinePeers()
    var serving = MachineServing(supplier: { ScriptedSupplier([0x08, 0x01]) })
    var exchange = Exchange()
    serving.opened(
      ConnectionOpened(connection: ConnectionID(index: 0), role: .peripheral, peer: phone), &exchange,
      &peers, &context)
    #expect(exchange.peer == phone && exchange.openedAt == context.now)
    var answer = ask([0x0A, 0x10, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x0B, 0x08, 0x01])
    #expect(serving.values.count(of: .payloadsServed) == 1)
    serving.noteFormer(1)
    // Error Response: Read Request, handle 16, Insufficient Resources.
    answer = ask([0x0A, 0x10, 0x00], &serving, &exchange, &peers, &context)
    #expect(answer == [0x01, 0x0A, 0x10, 0x00, 0x11])
    #expect(serving.values.count(of: .payloadsNotServed) == 1)
    #expect(serving.values.count(of: .adverts) == nil)
  }
}
