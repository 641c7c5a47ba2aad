import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL

extension ManagedNode where RadioType: ~Copyable {
  /// Samples the button, and does what the person at the board wants. Returns when to be called again at the
  /// latest. Not inlined, to keep the loop's stack frame small.
  @inline(never)
  mutating func updatePanel<Hardware: FirmwareHardware & ~Copyable>(at now: Instant) -> Instant
  where Parts.BoardType == Firmware<Hardware> {
    let request = board.panel.update(at: now)
    if request != .none {
      let opens = Parts.ManagementType.isPresent && request != .showCondition
      if opens { node.core.openBluetoothManagement(at: now) }
      board.panel.show(
        opens && request == .openManagement ? .managementOpen : condition(at: now), at: now)
    }
    return board.panel.deadline(after: now)
  }

  /// The most urgent condition of the device.
  @inline(never)
  mutating func condition<Hardware: FirmwareHardware & ~Copyable>(at now: Instant) -> DeviceCondition
  where Parts.BoardType == Firmware<Hardware> {
    guard board.mode == .normal, node.radio.state == .ready, node.core.isAdvertising else {
      return .notAdvertising
    }
    if let power = board.panel.power(), power.level <= 20, !power.isExternal { return .batteryLow }
    let log = node.core.log.status()
    let used = Int(truncatingIfNeeded: log.newest &- log.oldest &+ 1)
    let capacity = node.core.log.capacity
    if capacity &- used <= capacity / 10 { return .logNearlyFull }
    if node.core.clock.unixMilliseconds(at: now) == nil { return .noDate }
    return board.panel.isCharging() ? .charging : .allWell
  }
}
