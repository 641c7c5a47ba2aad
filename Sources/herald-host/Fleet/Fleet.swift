import Foundation
import HeraldHostLink
import HeraldText

/// The result of an operation on one of several devices.
struct FleetMember<Outcome: Sendable>: Sendable {
  /// The location of the device.
  let location: String
  /// The device's serial number; empty if it has none or did not respond.
  let serial: String
  /// The result of the operation.
  let result: Result<Outcome, HostLinkError>
}

/// Runs an operation on several devices concurrently, with one thread for each, as most of the time is spent
/// waiting.
struct Fleet: Sendable {
  private let selectors: [DeviceSelector?]
  private let absent: [(location: String, error: HostLinkError)]
  private let link: LinkOptions

  init(_ muster: FleetSelection, link: LinkOptions) {
    selectors = muster.selectors
    absent = muster.absent
    self.link = link
  }

  /// Opens all devices, waits until each is identified or has failed, and calls `work` for each distinct
  /// device. Devices with equal serial numbers are skipped, so that their data is not mixed. Servers that did
  /// not return their device list are last in the result.
  func run<Outcome: Sendable>(
    _ work: @escaping @Sendable (Int, DeviceClient, OpenDevice, _ serial: String) throws -> Outcome
  ) -> [FleetMember<Outcome>] {
    let roll = FleetProgress(count: selectors.count)
    let results = FleetResults<Outcome>(selectors.map { $0?.text ?? "usb" })
    let group = DispatchGroup()
    for (index, selector) in selectors.enumerated() {
      group.enter()
      let thread = Thread {
        let result = one(index, selector, roll, work)
        roll.enter(index, serial: nil, location: "")
        results.put(result, at: index, roll.name(of: index))
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    return results.members
      + absent.map { FleetMember(location: $0.location, serial: "", result: .failure($0.error)) }
  }

  private func one<Outcome: Sendable>(
    _ index: Int, _ selector: DeviceSelector?, _ roll: FleetProgress,
    _ work: @Sendable (Int, DeviceClient, OpenDevice, String) throws -> Outcome
  ) -> Result<Outcome, HostLinkError> {
    do {
      return .success(
        try link.withDevice(selector) { device, open in
          let serial =
            try open.identity.serial.isEmpty ? device.serialNumber() : open.identity.serial
          roll.enter(index, serial: serial, location: open.transport.location)
          let twins = roll.locations(of: serial)
          guard serial.isEmpty || twins.count == 1 else {
            throw HostLinkError(
              .severalDevices,
              "\(twins.count) devices call themselves \(serial): \(twins.joined(separator: ", "))",
              advice: "take one at a time, with --device")
          }
          return try work(index, device, open, serial)
        })
    } catch let error as HostLinkError {
      return .failure(error)
    } catch {
      return .failure(HostLinkError(.storage, PrintableText.of("\(error)")))
    }
  }
}

/// Tracks identification: waits until every device is identified or has failed.
private final class FleetProgress: @unchecked Sendable {
  private let condition = NSCondition()
  private let count: Int
  private var entries: [Int: (serial: String?, location: String)] = [:]

  init(count: Int) { self.count = count }

  /// Records an identification; only the first one for each index applies.
  func enter(_ index: Int, serial: String?, location: String) {
    condition.lock()
    if entries[index] == nil { entries[index] = (serial, location) }
    condition.broadcast()
    condition.unlock()
  }

  /// The locations of the devices with this serial number.
  func locations(of serial: String) -> [String] {
    condition.lock()
    defer { condition.unlock() }
    while entries.count < count { condition.wait() }
    return entries.values.filter { $0.serial == serial }.map(\.location).sorted()
  }

  func name(of index: Int) -> (serial: String, location: String) {
    condition.lock()
    defer { condition.unlock() }
    return (entries[index]?.serial ?? "", entries[index]?.location ?? "")
  }
}

/// The results of all devices.
private final class FleetResults<Outcome: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var found: [FleetMember<Outcome>?]
  private let words: [String]

  /// `words` are the names of the devices, used while their locations are unknown.
  init(_ words: [String]) {
    self.words = words
    found = Array(repeating: nil, count: words.count)
  }

  func put(
    _ result: Result<Outcome, HostLinkError>, at index: Int, _ name: (serial: String, location: String)
  ) {
    lock.lock()
    found[index] = FleetMember(
      location: name.location.isEmpty ? words[index] : name.location, serial: name.serial, result: result)
    lock.unlock()
  }

  var members: [FleetMember<Outcome>] { found.compactMap(\.self) }
}
