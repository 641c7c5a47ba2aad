/// What a command is for: its opcode without the difference between the legacy and the extended form.
@usableFromInline
enum CommandPurpose: UInt8, BitwiseCopyable {
  /// No command.
  case none = 0
  /// A step of the bring-up; `ControllerSession.step` says which.
  case bringUp

  // About the controller.
  case advertisingParameters, advertisingAddress, advertisingData, scanResponse, advertisingOff, advertisingOn
  case scanParameters, scanOff, scanOn
  case randomAddress
  /// Whether it is still there.
  case presence
  case createConnection, cancelConnection

  // About one connection.
  case disconnect, refuseKey, updateConnection, dataLength, readRSSI
}
