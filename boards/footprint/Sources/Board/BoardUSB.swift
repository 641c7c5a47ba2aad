import HeraldHAL
import Placeholders

/// The registers of a USB device controller, as a driver would use them.
public struct BoardUSB: USBController, ~Copyable {
  private let address: UInt32

  /// The controller whose registers are at `address`.
  public init(at address: UInt32) { self.address = address }

  private enum Command {
    static var acknowledge: Int32 { 1 }
    static var refuse: Int32 { 2 }
    static var setAddress: Int32 { 3 }
    static var open: Int32 { 4 }
    static var close: Int32 { 5 }
    static var halt: Int32 { 6 }
    static var unhalt: Int32 { 7 }
  }

  private func command(_ command: Int32, _ argument: Int32 = 0) {
    board_usb_command(address, command, argument)
  }

  /// The next event.
  public mutating func nextEvent() -> USBEvent? {
    var bytes: [8 of UInt8] = .init(repeating: 0)
    let address = address
    var span = bytes.mutableSpan
    let event = unsafe span.withUnsafeMutableBufferPointer { setup in
      guard let start = setup.baseAddress else { return Int32(0) }
      return unsafe board_usb_event(address, start)
    }
    switch event {
    case 1: return .reset
    case 2: return .detached
    case 3: return .suspended
    case 4: return .resumed
    case 5:
      return .setup(
        USBSetup(
          requestType: bytes[0], request: bytes[1], value: UInt16(bytes[2]) | UInt16(bytes[3]) &<< 8,
          index: UInt16(bytes[4]) | UInt16(bytes[5]) &<< 8, length: UInt16(bytes[6]) | UInt16(bytes[7]) &<< 8)
      )
    default: return nil
    }
  }

  /// Sends a packet.
  public mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool {
    let address = address
    return unsafe packet.withUnsafeBufferPointer { bytes in
      unsafe board_usb_write(
        address, Int32(endpoint.rawValue), bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count)) != 0
    }
  }

  /// Reads a received packet.
  public mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int? {
    let address = address
    let count = unsafe packet.withUnsafeMutableBufferPointer { bytes in
      unsafe board_usb_read(
        address, Int32(endpoint.rawValue), bytes.baseAddress, Int32(truncatingIfNeeded: bytes.count))
    }
    return count < 0 ? nil : Int(count)
  }

  /// Completes the request.
  public mutating func acknowledge() { command(Command.acknowledge) }
  /// Rejects the request with a STALL.
  public mutating func refuse() { command(Command.refuse) }
  /// Sets the device address.
  public mutating func setAddress(_ address: UInt8) { command(Command.setAddress, Int32(address)) }
  /// Opens an endpoint.
  public mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {
    command(Command.open, Int32(endpoint.rawValue))
  }
  /// Closes an endpoint.
  public mutating func close(_ endpoint: USBEndpoint) { command(Command.close, Int32(endpoint.rawValue)) }
  /// Halts an endpoint, or clears its halt.
  public mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {
    command(isHalted ? Command.halt : Command.unhalt, Int32(endpoint.rawValue))
  }
}
