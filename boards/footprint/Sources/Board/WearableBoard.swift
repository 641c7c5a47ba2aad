import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Placeholders

/// The functions of a device that a node does not have.
public struct WearableBoard: ManagedBoard, ~Copyable {
  /// No settings are stored.
  public var settings = SettingsStore(flash: NoFlash())
  private var restartAt = Instant.never

  public init() {}

  /// Writes the response for `field`.
  public func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .nodeName: writer.text("000000000000")
    case .kernelRelease, .kernelVersion: writer.text(HeraldRelease.version)
    case .hardwarePlatform: writer.text("footprint")
    case .buildDate, .machine, .processor, .operatingSystem: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }

  /// Restarts the device when the response has been transmitted.
  public mutating func restart(at now: Instant) { restartAt = now + .milliseconds(250) }

  /// Restarts the device if that was requested and is due.
  public func restartIfDue(at now: Instant) {
    if now >= restartAt { board_restart() }
  }
}
