import HeraldBluetooth
import HeraldHAL

/// A Bluetooth host over a controller with HCI.
///
/// ```swift
/// var host = HCIHost<Line, NoApplication, 0>(transport: Board.controllerLine())
/// ```
public typealias HCIHost<
  Transport: ControllerTransport & ~Copyable, Application: BluetoothApplication & ~Copyable,
  let connections: Int
> = BluetoothHost<HCIRadio<Transport, connections>, Application, connections>

extension BluetoothHost where RadioType: ~Copyable, Application: ~Copyable {
  /// A host over the controller at the other end of `transport`.
  public init<Transport: ControllerTransport & ~Copyable>(
    transport: @autoclosure () -> Transport, application: consuming Application
  ) where RadioType == HCIRadio<Transport, connections> {
    self.init(makingRadio: { HCIRadio(transport: transport()) }, application: application)
  }
}

extension BluetoothHost where RadioType: ~Copyable, Application == NoApplication {
  /// A host that only advertises, over the controller at the other end of `transport`.
  public init<Transport: ControllerTransport & ~Copyable>(transport: @autoclosure () -> Transport)
  where RadioType == HCIRadio<Transport, connections> {
    self.init(makingRadio: { HCIRadio(transport: transport()) }, application: NoApplication())
  }
}
