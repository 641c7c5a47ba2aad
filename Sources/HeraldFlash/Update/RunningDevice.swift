import HeraldDeviceLink
import HeraldHostLink
import HeraldText

/// A device that runs, on a board whose boot loader receives the image.
///
/// The device identifies itself over the management link and starts its boot loader on request. The boot
/// loader writes the firmware only; the device then starts again, with its log and its settings.
package final class RunningDevice {
  /// What is compared before and after an update.
  package struct State: Equatable, Sendable {
    /// The serial number.
    package let serial: String
    /// The version of the firmware.
    package let version: String
    /// The name of the board.
    package let board: String
    /// The log; `nil` while the device has none open.
    package let log: DeviceLogStatus?
  }

  /// The location of the device, in the form of `--device`.
  package var location: String { client.client.location }
  /// What the device reported when it was opened.
  package let state: State
  /// The device's board, which has a boot loader that is written over a serial port.
  package let board: BoardDescription

  private let transport: any SMPTransport
  private let client: DeviceClient

  /// A device over an open transport.
  /// - Throws: `.cannot` if its board is none that is updated through its boot loader.
  init(_ transport: any SMPTransport, timeout: Duration) throws(FlashFailure) {
    self.transport = transport
    client = DeviceClient(SMPClient(transport: transport, timeouts: .init(timeout: timeout)))
    do {
      state = try Self.state(of: client)
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
    guard let board = BoardCatalogue.named(state.board), board.package != nil else {
      let name = state.board.isEmpty ? "an unknown board" : state.board
      throw FlashFailure(
        .cannot, "\(client.client.location) is \(name), which has no boot loader on USB", state: .untouched,
        advice: "use a debug probe: `herald-flash write --via probe`")
    }
    self.board = board
  }

  /// Opens the device of `selector`, and a session if there is a file with its access key.
  package static func open(_ selector: DeviceSelector, _ options: FlashOptions) throws(FlashFailure)
    -> RunningDevice
  {
    let open: OpenDevice
    do {
      open = try DeviceDirectory.open(selector)
    } catch {
      throw Self.absent(error, bootLoaders: ProgrammingMethod.serialPorts(in: ProgrammingMethod.terminals))
    }
    do throws(FlashFailure) {
      let device = try RunningDevice(open.transport, timeout: options.timeout)
      if let path = options.keyFile { try device.authenticate(path, isNew: options.isNewDevice) }
      return device
    } catch {
      open.transport.close()
      throw error
    }
  }

  /// The failure for a device that could not be opened. After an interrupted update it is one of the
  /// `bootLoaders` at these terminals.
  static func absent(_ error: HostLinkError, bootLoaders: [String]) -> FlashFailure {
    guard error.cause == .noDevice, let name = bootLoaders.first else {
      return FlashFailure(error, state: .untouched)
    }
    return FlashFailure(
      .link(.noDevice), "\(error.what); a boot loader runs at serial-dfu:/dev/\(name)", state: .untouched,
      advice:
        "if that is the device, whose update was interrupted, `herald-flash write --board BOARD --to serial-dfu:/dev/\(name)` continues; else plug the device in"
    )
  }

  private func authenticate(_ path: String, isNew: Bool) throws(FlashFailure) {
    do {
      try client.authenticate(keyFile: path, serial: state.serial, isNew: isNew) { _ in }
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
  }

  private static func state(of client: DeviceClient) throws(HostLinkError) -> State {
    let information = try client.information()
    var log: DeviceLogStatus?
    do {
      log = try client.logStatus()
    } catch  where error.cause == .refused {
      // Without a log the device can be updated too.
    }
    return State(
      serial: information.serial, version: information.version, board: information.board, log: log)
  }

  /// Has the device commit its log and start its boot loader.
  /// - Throws: `.cannot` if the running firmware does not support this; `.refused` without the access key.
  package func enterBootLoader() throws(FlashFailure) {
    do {
      if try client.enterBootLoader() { return }
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
    throw FlashFailure(
      .cannot, "the firmware of \(location) (\(state.version)) does not start a boot loader on request",
      state: .untouched, advice: Self.byHand(board))
  }

  /// The advice if a boot loader has to be started manually.
  static func byHand(_ board: BoardDescription) -> String {
    let press =
      board.bootLoader == .nordicDFU ? "press the board's reset button" : "press the board's reset twice"
    return "\(press), so that its boot loader runs, then `herald-flash write --board \(board.name)`"
  }

  /// Ends the session, and releases the device.
  package func close() {
    client.client.closeSession()
    transport.close()
  }
}
