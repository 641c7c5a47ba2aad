import HeraldDeviceLink
import HeraldHAL

/// A controller of a test that moves packets and events, and of all else takes no notice.
package protocol PacketUSBController: USBController {}

extension PacketUSBController {
  package mutating func acknowledge() {}
  package mutating func refuse() {}
  package mutating func setAddress(_ address: UInt8) {}
  package mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind) {}
  package mutating func close(_ endpoint: USBEndpoint) {}
  package mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool) {}
}
