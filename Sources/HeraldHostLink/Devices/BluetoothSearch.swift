import HeraldBluetooth
import HeraldText

/// A device that offers its management link over Bluetooth, as its advertisements are received.
public struct HeardDevice: Hashable, Sendable {
  /// The address of its advertisements.
  public let address: DeviceAddress
  /// The RSSI of the latest one.
  public let rssi: RSSI

  /// Initialises each member.
  public init(address: DeviceAddress, rssi: RSSI) {
    self.address = address
    self.rssi = rssi
  }

  /// The address, and the RSSI if there is one: `C0:11:22:33:44:55 (-60 dBm)`.
  public var text: String {
    rssi.isAvailable ? "\(address.text) (\(rssi.rawValue) dBm)" : address.text
  }

  /// The device with the lowest RSSI, or one without; `nil` of none.
  public static func farthest(of devices: [HeardDevice]) -> HeardDevice? {
    devices.min { $0.nearness < $1.nearness }
  }

  /// The value for the order by nearness: the RSSI in dBm, and less than each if there is none.
  fileprivate var nearness: Int { rssi.isAvailable ? Int(rssi.rawValue) : -128 }
}

/// The radio of a search: it receives advertisements, and is connected to at most one device.
public protocol ManagementRadio: AnyObject {
  /// Receives advertisements for `duration`, or until `deadline`, and returns each device that offers the
  /// service. There is no connection meanwhile.
  func listen(for duration: Duration, by deadline: Deadline) -> [HeardDevice]
  /// Connects to a device and returns the serial number that it reports. After an error there is no
  /// connection.
  func connect(to address: DeviceAddress, by deadline: Deadline) throws(HostLinkError) -> String
  /// Ends the connection, if there is one.
  func close()
}

/// Finds the device with a serial number among those that offer their management link over Bluetooth.
///
/// Anybody can advertise the service and report a serial number. Therefore the device is the one that proves
/// that it has the access key, whichever answers first. Without a key, it is the only device that reports the
/// number; of several none is selected, and the error names them. The nearest device is tried first. One that
/// does not answer is left after `firstLimit`, and tried again with a longer limit after the others.
public struct BluetoothSearch {
  /// The duration of a reception of advertisements.
  public static let reception = Duration.seconds(1)
  /// How many receptions follow one in which a device has reported the number and has not proved.
  static let furtherReceptions = 3
  /// The duration of the reception that shows which devices are still there.
  static let longReception = Duration.seconds(3)
  /// How long the first attempt to connect to a device may take; each further one twice as long.
  static let firstLimit = Duration.seconds(3)
  /// How often a device is tried.
  static let mostAttempts = 3

  private let serial: String
  private let address: BluetoothAddress?
  private var attempts: [DeviceAddress: Int] = [:]
  /// The devices that have reported the number and have not proved possession of the key, each with the error
  /// of the proof, or `nil` if there is no key.
  private var claims: [(device: HeardDevice, error: HostLinkError?)] = []
  /// The address of the claim to which the radio is connected.
  private var connected: DeviceAddress?
  private var others: Set<String> = []
  private var failure: HostLinkError?

  /// A search for a serial number; with an address only for the device that advertises with it.
  public init(serial: String, address: BluetoothAddress?) {
    self.serial = serial
    self.address = address
  }

  /// Searches until the device is found, to which the radio is connected then. `prove` opens a session on the
  /// connection; it returns false if there is no key for the device.
  /// - Returns: Other devices that report the same number and have not proved possession of the key.
  /// - Throws: `.noDevice` if no device reports the number before `deadline`; `.severalDevices` if several do
  ///   and none proves; the error of the proof if one does and does not prove.
  public mutating func run<Radio: ManagementRadio>(
    _ radio: Radio, by deadline: Deadline, prove: () throws(HostLinkError) -> Bool
  ) throws(HostLinkError) -> [HeardDevice] {
    var further = Self.furtherReceptions
    repeat {
      for device in listen(radio, for: Self.reception, by: deadline) where isDue(device) {
        if try examine(device, radio, by: deadline, prove) { return claims.map(\.device) }
        if deadline.hasPassed { break }
      }
      if claims.count == 1, claims[0].error == nil {
        if try take(claims[0].device, radio, by: deadline, prove) { return [] }
      }
      // After a proof that failed the device itself may be among those that were not received yet, or did not
      // connect.
      if !claims.isEmpty { further -= 1 }
      if further < 0 { break }
    } while !deadline.hasPassed
    return try decide(radio, prove)
  }

  /// The devices that are received, the nearest first.
  private mutating func listen<Radio: ManagementRadio>(
    _ radio: Radio, for duration: Duration, by deadline: Deadline
  ) -> [HeardDevice] {
    disconnect(radio)
    let heard = radio.listen(for: duration, by: deadline)
    return heard.filter { device in address.map { $0.matches(device.address) } ?? true }
      .sorted { ($1.nearness, $0.address.text) < ($0.nearness, $1.address.text) }
  }

  private func isDue(_ device: HeardDevice) -> Bool {
    attempts[device.address, default: 0] < Self.mostAttempts
      && !claims.contains { $0.device.address == device.address }
  }

  private mutating func disconnect<Radio: ManagementRadio>(_ radio: Radio) {
    if connected != nil { radio.close() }
    connected = nil
  }

  /// Connects to a device; returns whether it is the one.
  private mutating func examine<Radio: ManagementRadio>(
    _ device: HeardDevice, _ radio: Radio, by deadline: Deadline, _ prove: () throws(HostLinkError) -> Bool
  ) throws(HostLinkError) -> Bool {
    disconnect(radio)
    let attempt = attempts[device.address, default: 0]
    attempts[device.address] = attempt + 1
    let limit = Deadline.after(Self.firstLimit * (1 << attempt))
    do throws(HostLinkError) {
      let found = try radio.connect(to: device.address, by: min(deadline, limit))
      connected = device.address
      guard found == serial else {
        others.insert(found)
        attempts[device.address] = Self.mostAttempts
        return false
      }
    } catch {
      failure = error
      return false
    }
    do throws(HostLinkError) {
      if try prove() { return true }
      claims.append((device, nil))
    } catch {
      disconnect(radio)
      guard !error.cause.isOfThisComputer else { throw error }
      claims.append((device, error))
    }
    return false
  }

  /// Connects to the only device that reports the number, if the radio is not connected to it; returns
  /// whether it still reports it.
  private mutating func take<Radio: ManagementRadio>(
    _ device: HeardDevice, _ radio: Radio, by deadline: Deadline, _ prove: () throws(HostLinkError) -> Bool
  ) throws(HostLinkError) -> Bool {
    if connected == device.address { return true }
    claims = []
    attempts[device.address] = 0
    return try examine(device, radio, by: deadline, prove) || connected == device.address && !claims.isEmpty
  }

  /// The result after the last round.
  private mutating func decide<Radio: ManagementRadio>(
    _ radio: Radio, _ prove: () throws(HostLinkError) -> Bool
  ) throws(HostLinkError) -> [HeardDevice] {
    if claims.count > 1 {
      // A device that has changed its address since is not two devices.
      let present = listen(radio, for: Self.longReception, by: .after(Self.longReception))
      let still = present.compactMap { device in
        claims.first { $0.device.address == device.address }.map { (device, $0.error) }
      }
      if !still.isEmpty { claims = still }
    }
    disconnect(radio)
    guard let first = claims.first else { throw missing() }
    guard claims.count == 1 else { throw several() }
    if let error = first.error { throw error }
    let limit = Deadline.after(Self.firstLimit)
    guard try take(first.device, radio, by: limit, prove) else { throw missing() }
    return []
  }

  private func missing() -> HostLinkError {
    if let failure, others.isEmpty { return failure }
    let list = others.isEmpty ? "" : "; there are \(others.sorted().joined(separator: ", "))"
    let location = address.map { " at \($0.text)" } ?? ""
    return HostLinkError(
      .noDevice,
      "no device with serial number \(PrintableText.of(serial))\(location) offers its management link over Bluetooth\(list)",
      advice:
        "switch it on: `herald-host config set bluetooth/management yes` over USB, or the device's button")
  }

  private func several() -> HostLinkError {
    let list = claims.map(\.device.text).joined(separator: ", ")
    let name = PrintableText.of(serial)
    let what = "\(claims.count) devices report serial number \(name), the nearest first: \(list)"
    guard claims.contains(where: { $0.error != nil }) else {
      return HostLinkError(
        .severalDevices, what,
        advice:
          "name the file of its access key with --key-file, which only the device itself can prove to have, or choose one with --device ble:\(name)@ADDRESS"
      )
    }
    return HostLinkError(
      .notProved, "\(what); none has proved that it has the access key",
      advice: "go nearer to the device and try again, or connect it by USB; check that the key is its own")
  }
}

extension HostLinkError.Cause {
  /// Whether the reason is on this computer, so that another device does not help.
  fileprivate var isOfThisComputer: Bool { [.usage, .storage, .permission, .notConfirmed].contains(self) }
}
