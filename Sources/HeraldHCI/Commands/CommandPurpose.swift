/// The purpose of a command: its opcode without the difference between the legacy and the extended form.
///
/// `CommandForms` has a row for each, in this order, so that the number is also the index of its form.
enum CommandPurpose: UInt8, BitwiseCopyable {
  /// No command.
  case none = 0

  // Commands to the controller, with a second, extended form.
  case advertisingParameters, advertisingData, scanResponse, advertisingOff, advertisingOn
  case scanParameters, scanOff, scanOn
  case createConnection

  // Commands to the controller, with one form.
  case cancelConnection
  case advertisingAddress
  case randomAddress
  /// Whether the controller still responds.
  case presence

  // Commands for one connection.
  case disconnect, refuseKey, updateConnection, dataLength, readRSSI

  /// A step of the bring-up, given by `ControllerSession.step`.
  case bringUp

  /// The index of its form.
  func form(isExtended: Bool) -> Int {
    let number = Int(rawValue) &- 1
    return isExtended && rawValue <= Self.createConnection.rawValue ? number &+ Self.extended : number
  }

  /// The offset of the extended form.
  private static var extended: Int { Int(Self.bringUp.rawValue) &- 1 }
  /// The index of the first step's form.
  static var firstStep: Int { extended &+ Int(Self.createConnection.rawValue) }
}
