import Foundation
import HeraldHostLink

/// A device at the dock, from its connection until it is disconnected and its collection has ended.
struct DockBadge {
  let origin: DeviceLocation
  /// Empty until it is known.
  var serial = ""
  var folder: String?
  var isPresent = true
  var isRunning = false
  /// The number of collections.
  var attempts = 0
  /// When the next collection is to begin; `nil` if none is.
  var dueAt: Deadline? = .after(.zero)
  /// The result of the last collection.
  var outcome: Result<DockResult, HostLinkError>?

  init(_ origin: DeviceLocation) { self.origin = origin }

  var location: String { origin.selector.text }
  /// The USB/IP server that exports it; `nil` if it is connected to this computer.
  var server: String? {
    guard case .usbip(let host, let port, _) = origin.selector else { return nil }
    return "\(host) \(port ?? 0)"
  }
  /// What a person calls it.
  var name: String { serial.isEmpty ? location : serial }

  /// The seconds until a device that is still connected is collected again after an error; `nil` if a person
  /// has to do something first. With `isOnce`, only what may be over in a moment is tried again, twice.
  static func delay(after error: HostLinkError, attempts: Int, isOnce: Bool) -> TimeInterval? {
    let delays: [TimeInterval] = [2, 5, 15, 60]
    switch error.cause {
    case .link, .noAnswer, .busy:
      if isOnce, attempts > 2 { return nil }
    case .permission, .noDevice, .storage:
      if isOnce { return nil }
    case .partial:
      // Pages that are wrong stay so.
      if isOnce || attempts > delays.count { return nil }
    case .severalDevices, .protocolViolation, .refused, .notProved, .usage, .notConfirmed, .unrecorded:
      return nil
    }
    return delays[min(max(attempts, 1), delays.count) - 1]
  }
}
