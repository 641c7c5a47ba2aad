import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink

/// The application of a Bluetooth host that uses the management link of a device: finds devices with the
/// service, and runs the procedures on the connection to one of them, one at a time.
struct ManagementClient: BluetoothApplication, ~Copyable {
  static var isObserver: Bool { true }
  static var isGATTClient: Bool { true }

  /// How many devices are kept. Of more those with the lowest RSSI are dropped: whoever changes the address
  /// with each packet takes no more memory, and does not displace a nearer device.
  private static let mostDevices = 64

  /// The devices that advertise the service, in this reception.
  private(set) var heard: [HeardDevice] = []
  /// The open connection; `nil` if there is none.
  private(set) var connection: ConnectionID?
  /// Whether an attempt to connect has ended without a connection.
  var hasFailed = false
  /// How the procedure under way has ended; `nil` before its end.
  var outcome: Result<Void, GATTFault>?
  /// The service, the handle of the packets' value, and the ATT_MTU, as far as they are known.
  private(set) var service: HandleRange?
  private(set) var packets: UInt16 = 0
  private(set) var mtu = 23
  /// The notified bytes that were not taken.
  var received: [[UInt8]] = []

  /// A procedure has failed, for this reason.
  struct GATTFault: Error {
    let failure: GATTFailure
  }

  /// Forgets the devices of the reception before.
  mutating func beginListening() { heard = [] }

  mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
    var bytes: [UInt8] = []
    for index in 0..<data.count { bytes.append(data[index]) }
    guard Self.showsService(bytes) else { return }
    heard.removeAll { $0.address == report.address }
    heard.append(HeardDevice(address: report.address, rssi: report.rssi))
    if heard.count > Self.mostDevices, let farthest = HeardDevice.farthest(of: heard) {
      heard.removeAll { $0 == farthest }
    }
  }

  /// Whether advertising data list the service among 128-bit service UUIDs (types 06 and 07).
  static func showsService(_ data: [UInt8]) -> Bool {
    let uuid = HeraldUUIDs.management
    let onAir = (0..<16).map { index in
      UInt8(truncatingIfNeeded: (index < 8 ? uuid.low : uuid.high) >> UInt64(index % 8 * 8))
    }
    var offset = 0
    while offset < data.count {
      let end = offset + 1 + Int(data[offset])
      guard data[offset] > 0, end <= data.count else { return false }
      if data[offset + 1] == 0x06 || data[offset + 1] == 0x07 {
        for start in stride(from: offset + 2, through: end - 16, by: 16)
        where Array(data[start..<(start + 16)]) == onAir {
          return true
        }
      }
      offset = end
    }
    return false
  }

  mutating func connected(_ opened: ConnectionOpened, at now: Instant) {
    connection = opened.connection
    service = nil
    packets = 0
    mtu = 23
    received = []
  }

  mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) { hasFailed = true }

  mutating func disconnected(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {
    self.connection = nil
    outcome = .failure(GATTFault(failure: .timeout))
  }

  mutating func received(
    _ event: GATTClientEvent, pdu: Span<UInt8>, on connection: ConnectionID, at now: Instant
  ) {
    switch event {
    case .mtu(let agreed):
      mtu = agreed
      outcome = .success(())
    case .service(let range):
      service = range
      outcome = .success(())
    case .characteristics(let isLast):
      var characteristics = GATTCharacteristics(pdu)
      while let found = characteristics.next() {
        if found.uuid == HeraldUUIDs.managementPackets { packets = found.value }
      }
      if isLast { outcome = .success(()) }
    case .finished: outcome = .success(())
    case .failed(let failure): outcome = .failure(GATTFault(failure: failure))
    case .notification(let handle, let from) where handle == packets && from <= pdu.count:
      var bytes: [UInt8] = []
      for index in from..<pdu.count { bytes.append(pdu[index]) }
      received.append(bytes)
    default: break
    }
  }
}
