// What the device shows and listens to: its address and payload, advertising, scanning.

extension HeraldCore
where
  FlashType: ~Copyable, RandomType: ~Copyable, SupplierType: ~Copyable, DelegateType: ~Copyable
{
  /// Takes a new address and, with it, a new payload, when that is due and no attempt is under way.
  @inlinable @inline(never)
  mutating func rotate() {
    guard !peers.attempt.isActive else { return }
    guard rotation.isDue(at: context.now) else {
      context.wake(by: rotation.deadline)
      return
    }
    // The new payload is made in a buffer. A peer that has read the former one halfway begins again, under
    // the new address.
    guard serving.values.pool.makeRoom() else {
      context.wake(by: context.after(.milliseconds(100)))
      return
    }
    guard
      let identity = OwnIdentity.make(
        key, lifetime: context.configuration.addressPeriod, random: &context.random)
    else {
      context.wasRefused = true  // the random source does not work: the old address stays, and it is tried again
      return
    }
    show(identity)
    context.sink.delegate.tell(.info, "a new own address", at: context.now)
    serving.values.rotatedAt = context.now
    serving.values.rotatedUnixSeconds = context.sink.clock.unixSeconds(at: context.now)
    context.sink.count(.rotations)
    partWithFormerAddress()
    peers.tellAgain(&context)
    rotation.rotated(at: context.now)
    rotation.noLater(
      than: serving.values.supplier.nextChange(after: serving.values.rotatedUnixSeconds, now: context.now))
    if NeighbourType.systems > 0 { showNeighbours(withAddress: true) }
    offerPayload()
    serving.unnotified = .max
    context.wake(by: rotation.deadline)
  }

  /// Connections that were opened under the former address: the new payload and new codes must not be seen on
  /// them, as they would tie the two addresses together. Those that are kept are closed; on the others a new
  /// reading is refused, and the services of other systems are gone.
  @inlinable
  mutating func partWithFormerAddress() {
    var open: UInt32 = 0
    var index = 0
    while index < connections {
      if exchanges.links[index].step == .keeping { exchanges.close(index, &serving, &peers, &context) }
      if exchanges.links[index].step != .closed, index < 32 {
        open |= 1 &<< UInt32(truncatingIfNeeded: index)
      }
      index &+= 1
    }
    if NeighbourType.Services.changes { serving.noteServicesGone(on: open & ~serving.values.former) }
    serving.values.former |= open
  }

  /// Advertises under a new identity. Not inlined: its buffer is to be off the stack when the payload is
  /// made.
  @inline(never)
  @usableFromInline
  mutating func show(_ identity: OwnIdentity) {
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    var advertisement = context.configuration.advertisement
    advertisement.pseudoAddress = identity.pseudoAddress
    // The short service goes first where both do not fit beside a pseudo device address.
    if advertisement.length > 31 { advertisement.omitted = advertisement.omitted.union(.short) }
    var length = 0
    do throws(HeraldAdvertisementError) { length = try advertisement.write(to: &buffer) } catch { length = 0 }
    advertising.rotate(to: identity.address)
    advertising.setData(0, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
  }

  /// Asks whether there is a payload at present. Without one nothing is advertised: peers would connect in
  /// vain.
  @inlinable
  mutating func offerPayload() {
    let nobody = ConnectionID(index: connections)
    guard let index = serving.values.makePayload(for: nobody, .signalling) else {
      context.offersPayload = false
      advertising.remove(0)
      // The date may be missing: the next rotation comes sooner.
      rotation.noLater(than: context.after(.seconds(10)))
      return
    }
    let digest = serving.values.pool.buffers[index].digest()
    if peers.noteOwn(digest) {
      context.sink.record(
        .ownPayload, serving.values.pool.buffers[index].all, in: &serving.values.pool.buffers[index])
    }
    serving.values.pool.release(nobody)
    context.offersPayload = true
    advertising.setTiming(0, interval: context.advertisingInterval, share: 1, connectable: true)
  }

  @inlinable
  mutating func scan<R: Radio & ~Copyable>(_ radio: inout R) {
    guard context.configuration.scans else { return }
    let isBlocked = peers.attempt.isActive && !context.capabilities.canScanWhileConnecting
    let plan = scanning.next(at: context.now, blocked: isBlocked)
    context.wake(by: plan.deadline)
    guard plan.scan else {
      if shownScan != nil {
        radio.stopScanning()
        shownScan = nil
      }
      return
    }
    let timing = context.scanTiming
    let isBusy = context.now < peers.listening.busyUntil
    let parameters = ScanParameters(
      ownAddress: advertising.address, interval: timing.interval,
      window: isBusy ? timing.busyWindow : timing.window, active: timing.active)
    if isBusy { context.wake(by: peers.listening.busyUntil) }
    guard parameters != shownScan else { return }
    do throws(RadioError) {
      try radio.startScanning(parameters)
      shownScan = parameters
    } catch {
      context.wasRefused = true
    }
  }

  @inlinable
  mutating func advertise<R: Radio & ~Copyable>(_ radio: inout R) {
    let open = exchanges.links.openCount()
    let plan = advertising.next(
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
        try advertising.start(set, parameters, on: &radio)
      } catch {
        context.wasRefused = true
        advertising.radioForgot()
      }
    }
  }
}
