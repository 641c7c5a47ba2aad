import HeraldEmbedded
import HeraldFirmware

#if HCI_CONTROLLER
  import HCIBoard
#else
  import Board
#endif

// A wearable: as many peers as the board has memory for (`BadgeNode`), four connections, battery and motion
// logged, a payload that a host can change, events for a host that watches. The tap is the first delegate:
// its size is a multiple of eight bytes, so that there is no padding behind it, and it is cleared in place.
enum Badge: WearableParts {
  static func supplier() -> StoredPayloadSupplier<132> {
    StoredPayloadSupplier(
      otherwise: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890))
  }
  static func delegate() -> SensorDelegates<
    LiveTap, SensorDelegates<Board.Motion, BatterySensor<Supply>>
  > {
    SensorDelegates(LiveTap(), SensorDelegates(Board.motion(), BatterySensor(Board.supply())))
  }
}
nonisolated(unsafe) var device = BadgeNode<Badge>()
nonisolated(unsafe) var links = Links(Board.usb(), serialNumber: Board.serialNumber())
while true {
  device.round(serving: &links)
  device.board.hardware.show(isReady: device.node.radio.state == .ready)
}
