import HeraldDeviceLink

/// A controller of a test that moves packets and events, and of all else takes no notice.
public protocol PacketUSBController: USBController {}

extension PacketUSBController {
  public mutating func acknowledge() {}
  public mutating func refuse() {}
  public mutating func setAddress(_ address: UInt8) {}
  public mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {}
  public mutating func close(_ endpoint: USBEndpoint) {}
  public mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {}
}
