/// What a command is for: its opcode without the difference between the legacy and the extended form.
///
/// `CommandForms` has a row for each, in this order, so that the number is also the place of its form.
@usableFromInline
enum CommandPurpose: UInt8, BitwiseCopyable {
  /// No command.
  case none = 0

  // About the controller, and with a second, extended form.
  case advertisingParameters, advertisingData, scanResponse, advertisingOff, advertisingOn
  case scanParameters, scanOff, scanOn
  case createConnection

  // About the controller, with one form.
  case cancelConnection
  case advertisingAddress
  case randomAddress
  /// Whether it is still there.
  case presence

  // About one connection.
  case disconnect, refuseKey, updateConnection, dataLength, readRSSI

  /// A step of the bring-up; `ControllerSession.step` says which.
  case bringUp

  /// The place of its form.
  func form(isExtended: Bool) -> Int {
    let number = Int(rawValue) &- 1
    return isExtended && rawValue <= Self.createConnection.rawValue ? number &+ Self.extended : number
  }

  /// How much further the extended form is.
  private static var extended: Int { Int(Self.bringUp.rawValue) &- 1 }
  /// The place of the first step's form.
  static var firstStep: Int { extended &+ Int(Self.createConnection.rawValue) }
}
