// What the device shows and listens to: its address and payload, advertising, scanning.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{

  /// Takes a new address and, with it, a new payload, when that is due and no attempt is under way.
  @inlinable
  mutating func rotate() {
    guard !peers.attempt.isActive, presence.takeAddress(&serving, &context) else { return }
    exchanges.partWithFormerAddress(&serving, &peers, &context)
    peers.tellAgain(&context)
    presence.takePayload(&serving, &peers, &context)
  }

  @inlinable
  mutating func scan<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans else { return }
    let isBlocked = peers.attempt.isActive && !context.capabilities.canScanWhileConnecting
    let plan = scanning.plan(isBlocked: isBlocked, at: context.now)
    context.wake(by: plan.deadline)
    guard plan.scan else {
      if scanning.stop() { radio.stopScanning() }
      return
    }
    let timing = context.scanTiming
    let isBusy = context.now < peers.listening.busyUntil
    let parameters = ScanParameters(
      ownAddress: presence.advertising.address, interval: timing.interval,
      window: isBusy ? timing.busyWindow : timing.window, active: timing.active)
    if isBusy { context.wake(by: peers.listening.busyUntil) }
    guard scanning.isNew(parameters) else { return }
    do throws(RadioError) {
      try radio.startScanning(parameters)
      scanning.started(parameters)
    } catch {
      context.wasRefused = true
    }
  }

  @inlinable
  mutating func advertise<R: Radio & ~Copyable>(_ radio: inout R) {
    let open = exchanges.links.openCount()
    let plan = presence.advertising.next(
      at: context.now,
      allowed: .init(
        connectable: open < connectionLimit && (open == 0 || context.capabilities.canAdvertiseWhileConnected),
        any: context.canAdvertise && (context.offersPayload || NeighbourType.systems > 0)))
    context.wake(by: plan.deadline)
    guard plan.changed else { return }
    switch plan.wish {
    case .silence: radio.stopAdvertising()
    case .set(let set, let parameters):
      do throws(RadioError) {
        try presence.advertising.start(set, parameters, on: &radio)
      } catch {
        context.wasRefused = true
        presence.advertising.radioForgot()
      }
    }
  }
}
