import Foundation
import HeraldDeviceLink
import HeraldHostLink
import HeraldText

/// The waits of an update of a device through its boot loader: for the boot loader, and for the device.
///
/// The boot loader has another USB device with another serial number, at the same USB port.
package struct DeviceUpdate {
  /// The selection of the device.
  private let selector: DeviceSelector
  private let options: FlashOptions
  /// The location of the boot loader in the form of `--to`, if the user names it.
  private let named: String?
  /// The folder with the terminals of this computer.
  private let terminals: String
  /// The time for each wait.
  private let patience: Duration

  /// An update of the device of `selector`, with the boot loader expected at `named`, or at the device's
  /// port.
  package init(_ selector: DeviceSelector, _ options: FlashOptions, bootLoader named: String?) {
    self.init(
      selector, options, bootLoader: named, terminals: ProgrammingMethod.terminals, patience: .seconds(30))
  }

  init(
    _ selector: DeviceSelector, _ options: FlashOptions, bootLoader named: String?, terminals: String,
    patience: Duration
  ) {
    self.selector = selector
    self.options = options
    self.named = named
    self.terminals = terminals
    self.patience = patience
  }

  /// Where the boot loader of a device will be.
  package enum BootLoaderLocation: Equatable, Sendable {
    /// At this location, in the form of `--to`.
    case named(String)
    /// A serial port at this USB port path.
    case port(String)
  }

  /// Where the boot loader of the device at `location` will be.
  /// - Throws: `.usage` if that cannot be derived and was not named.
  package func bootLoaderLocation(of location: String) throws(FlashFailure) -> BootLoaderLocation {
    if let named {
      let kind = try ProgrammingMethod.parse(named).0.kind
      guard kind == .serialDFU || kind == .drive else {
        throw FlashFailure(
          .link(.usage), "\(PrintableText.of(named)) is no boot loader of a device", state: .untouched,
          advice: "with --device, --to names a serial port or a drive: --to serial-dfu:/dev/NAME")
      }
      return .named(named)
    }
    if case .usb(let path) = try? DeviceSelector(location) { return .port(path) }
    if case .serial(let path) = try? DeviceSelector(location), let real = realpath(path, nil) {
      defer { free(real) }
      let name = URL(filePath: String(cString: real)).lastPathComponent
      if let port = ProgrammingMethod.usbPort(of: name, in: terminals) { return .port(port) }
    }
    throw FlashFailure(
      .link(.usage), "\(location) is at no USB port of this computer, where its boot loader would appear",
      state: .untouched,
      advice: "name the serial port of the boot loader as well: --to serial-dfu:/dev/NAME")
  }

  /// Opens the boot loader as soon as it is at `expected`.
  /// - Throws: the last obstacle, if it does not appear; the application is then as it was.
  package func bootLoader(at expected: BootLoaderLocation, of device: RunningDevice) throws(FlashFailure)
    -> any Programmer
  {
    let deadline = Deadline.after(patience)
    var obstacle: FlashFailure?
    while true {
      if let location = location(of: expected) {
        do throws(FlashFailure) {
          return try ProgrammingMethod.open(location, options)
        } catch {
          obstacle = error
        }
      }
      guard !deadline.hasPassed else { break }
      Thread.sleep(forTimeInterval: 0.1)
    }
    let shown =
      switch expected {
      case .named(let location): location
      case .port(let port): "USB port \(port)"
      }
    let reason = obstacle.map { ": \($0.what)" } ?? ""
    throw FlashFailure(
      obstacle?.cause ?? .link(.noDevice),
      "\(device.location) restarted, and its boot loader is not at \(shown)\(reason)", state: .untouched,
      advice: obstacle?.advice
        ?? "its firmware (\(device.state.version)) may not support this: \(RunningDevice.byHand(device.board))"
    )
  }

  /// The location of a boot loader that is there now; `nil` if there is none.
  func location(of expected: BootLoaderLocation) -> String? {
    switch expected {
    case .named(let location): return location
    case .port(let port):
      return ProgrammingMethod.serialPorts(in: terminals, at: port).first.map { "serial-dfu:/dev/\($0)" }
    }
  }

  /// The device after the update, as soon as it responds and has opened its log.
  /// - Throws: `.different` if it is another device, or has lost its log or its settings; the last obstacle
  ///   if it does not respond.
  package func device(after before: RunningDevice) throws(FlashFailure) -> RunningDevice.State {
    let deadline = Deadline.after(patience)
    var obstacle = FlashFailure(.link(.noAnswer), "it reports no log", state: .written)
    repeat {
      do throws(FlashFailure) {
        let device = try RunningDevice.open(selector, withoutSession)
        defer { device.close() }
        if device.state.log?.identifier != nil || before.state.log?.identifier == nil {
          if let loss = Self.loss(from: before.state, to: device.state) {
            throw FlashFailure(
              .different, "\(device.location) \(loss)", state: .written,
              advice: "`herald-host status` and `herald-host info` show its state")
          }
          return device.state
        }
      } catch {
        if error.cause == .different { throw error }
        obstacle = error
      }
      Thread.sleep(forTimeInterval: 0.2)
    } while !deadline.hasPassed
    throw FlashFailure(
      obstacle.cause,
      "the image was written, and \(before.location) has not come back: \(obstacle.what)", state: .written,
      advice: "reconnect the board; `herald-host info` shows whether it runs")
  }

  /// The key is not needed for the state of a device.
  private var withoutSession: FlashOptions {
    var options = options
    options.keyFile = nil
    return options
  }

  /// What a device has lost, as text that follows its name; `nil` if it is the same device with its log and
  /// its settings.
  ///
  /// The identifier is derived from the address key, which is among the settings. The epoch changes when the
  /// log is erased.
  static func loss(from before: RunningDevice.State, to after: RunningDevice.State) -> String? {
    if before.serial != after.serial {
      return "is another device: its serial number is \(after.serial), not \(before.serial)"
    }
    guard let old = before.log, let new = after.log else { return nil }
    if old.identifier != new.identifier { return "has lost its settings: it has another identifier" }
    if old.epoch != new.epoch || old.pageCount > 0 && (new.pageCount == 0 || new.last < old.last) {
      return "has lost its log"
    }
    return nil
  }
}
