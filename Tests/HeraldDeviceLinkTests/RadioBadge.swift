import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldDeviceLink

struct RadioBoard: ManagedBoard, ~Copyable {
  var settings: SettingsStore<MemoryFlash>
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    guard field == .nodeName else { return 0 }
    var writer = ByteWriter(text._mutatingExtracting(0...))
    writer.text("BADGE-7")
    return writer.count
  }
  mutating func restart(at now: Instant) {}
}

enum RadioParts: ManagedParts {
  typealias FlashType = MemoryFlash
  typealias RandomType = CountingRandom
  typealias SupplierType = FixedPayloadSupplier
  typealias BoardType = RadioBoard
  typealias ManagementType = BluetoothManagementPort<247>
}

/// A whole device with the management link over Bluetooth, under a mock radio.
struct RadioBadge: ~Copyable {
  typealias Device = ManagedNode<MockRadio, RadioParts, 4, 4, 1>
  var device: Device
  var link = SMPBluetoothLink<250>()
  var server = SMPServer()
  var now = Instant.start + .seconds(4)
  let key = [UInt8](0..<32)

  init(isOn: Bool = true, scans: Bool = false) {
    var configuration = HeraldConfiguration.steady
    configuration.managesOverBluetooth = isOn
    configuration.scans = scans
    device = Device(
      radio: MockRadio(), flash: MemoryFlash(FlashImage(pageSize: 512, pageCount: 3, wordSize: 4)),
      random: CountingRandom(last: 1),
      supplier: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1),
      delegate: NoDelegate(),
      board: RadioBoard(
        settings: SettingsStore(
          flash: MemoryFlash(FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)))),
      configuration: configuration)
    device.takeSettings(at: .start)
    run()
  }

  /// Until nothing is to be done at this moment.
  mutating func run() {
    for _ in 0..<100 {
      let next = device.node.poll(at: now)
      let serving = link.serve(at: now, server: &server, device: &device)
      if next > now, serving > now { return }
    }
    Issue.record("the device has work for ever")
  }

  mutating func pass(_ interval: Interval) {
    now = now + interval
    run()
  }

  /// A peer opens a connection.
  mutating func open(_ index: Int) {
    device.node.radio.happen(
      .opened(
        ConnectionID(index: index), .peripheral,
        peer: DeviceAddress(high: 0xC0DE, low: 0xC0DE_C000 + UInt32(index), kind: .random)))
    run()
  }

  /// What the device sends after a PDU of the peer: responses and notifications.
  mutating func send(_ pdu: [UInt8], on index: Int = 0) -> [[UInt8]] {
    device.node.radio.commands = []
    device.node.radio.happen(.pdu(pdu, on: ConnectionID(index: index)))
    run()
    return sent(on: index)
  }

  /// What was sent since.
  mutating func sent(on index: Int = 0) -> [[UInt8]] {
    device.node.radio.takeCommands().compactMap {
      switch $0 {
      case .send(let bytes, ConnectionID(index: index)), .answer(let bytes, ConnectionID(index: index)): bytes
      default: nil
      }
    }
  }

  /// A client: with a larger ATT_MTU, and notifications.
  mutating func connect(_ index: Int = 0, mtu: String = "F700") {
    open(index)
    check(send(hex("02 \(mtu)"), on: index) == [hex("03 F700")])
    check(send(hex("12 1900 0100"), on: index) == [hex("13")])
  }

  /// Sets the access key.
  mutating func lock() {
    let bytes = key
    let isSet = device.keepAccessKey(bytes.span)
    check(isSet)
  }

  /// The response to a packet that was written without response in parts.
  mutating func ask(_ packet: [UInt8], on index: Int = 0, part: Int = 244) -> [UInt8] {
    var answer: [UInt8] = []
    var start = 0
    while start < packet.count {
      let end = min(start + part, packet.count)
      for pdu in send(hex("52 1800") + packet[start..<end], on: index) {
        check(pdu.starts(with: hex("1B 1800")))
        answer += pdu.dropFirst(3)
      }
      start = end
    }
    return answer
  }

  var isConnected: Bool { mutating get { device.node.radio.open.contains(ConnectionID(index: 0)) } }

  /// Opens a session. The host's side of it, `nil` if the device refuses.
  mutating func unlock(on index: Int = 0) -> TestHost? {
    let challenge = ask(hex("08000001 0048 0005 A0"), on: index)
    guard let place = challenge.indices.dropFirst(8).first(where: { challenge[$0] == 0x50 }) else {
      return nil
    }
    let nonce = Array(challenge[(place + 1)..<(place + 17)])
    let opening = TestHost.opening(key: key, serial: "BADGE-7", deviceNonce: nonce)
    guard ask(opening, on: index, part: 20).count == 49 else { return nil }
    return TestHost(key: key, serial: "BADGE-7", deviceNonce: nonce)
  }
}
