import HeraldBluetooth
import HeraldHAL

/// What this device shows: its address, its payload, and what it advertises. All of it changes in one step.
public struct OwnPresence<Parts: DeviceParts, let targets: Int, let connections: Int, let payloads: Int>:
  ~Copyable
{
  /// The state that the machines share.
  public typealias Context = CoreContext<Parts>
  /// The peers.
  public typealias PeersType = Peers<Parts, targets>
  /// The GATT server.
  public typealias ServingType = Serving<Parts, targets, connections, payloads>

  var advertising: Parts.ServicesType.Sets
  var rotation: AddressRotation
  /// The key from which own addresses are generated.
  var key: IdentityResolvingKey

  /// Nothing is shown. A first address is due at once.
  init(addressPeriod: Interval) {
    advertising = Parts.ServicesType.Sets()
    rotation = AddressRotation(period: addressPeriod)
    key = .none
  }

  /// The present own address; `.zero` before the first.
  var address: DeviceAddress { advertising.address }
}

extension OwnPresence {
  /// The device starts: sets the key for its addresses.
  mutating func start(_ context: inout Context) {
    if key.isNone { key = IdentityResolvingKey.make(random: &context.random) }
  }

  /// Changes the address, if that is due: advertises under the new one; the payload follows (`takePayload`).
  /// `false` if nothing was changed.
  @inline(never)
  mutating func takeAddress(_ serving: inout ServingType, _ context: inout Context) -> Bool {
    guard rotation.isDue(at: context.now) else {
      context.wake(by: rotation.deadline)
      return false
    }
    // The new payload is made in a buffer. A peer that has read part of the former one begins again under the
    // new address.
    guard serving.values.pool.makeRoom() else {
      context.wake(by: context.after(.milliseconds(100)))
      return false
    }
    guard
      let identity = OwnIdentity.make(
        key, lifetime: context.configuration.addressPeriod, random: &context.random)
    else {
      // The random source failed: the old address stays, and the change is repeated.
      context.wasRefused = true
      return false
    }
    show(identity, isManaged: serving.values.management.isOpen, &context)
    context.sink.delegate.tell(.info, "a new own address", at: context.now)
    serving.values.rotated(
      at: context.now, unixSeconds: context.sink.clock.unixSeconds(at: context.now),
      isDateCertain: context.isDateCertain)
    context.sink.count(.rotations)
    return true
  }

  /// Takes the payload for a new address, and the codes of additional services.
  mutating func takePayload(
    _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    rotation.rotated(at: context.now)
    rotation.noLater(
      than: serving.values.supplier.nextChange(after: serving.values.rotatedUnixSeconds, now: context.now))
    if Parts.ServicesType.count > 0 { showServices(withAddress: true, &serving, &context) }
    offerPayload(&serving, &peers, &context)
    serving.payloadChanged()
    context.wake(by: rotation.deadline)
  }

  /// Advertises under a new identity. Not inlined: its buffer must be off the stack when the payload is made.
  @inline(never)
  mutating func show(_ identity: OwnIdentity, isManaged: Bool, _ context: inout Context) {
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    var advertisement = context.configuration.advertisement
    advertisement.pseudoAddress = identity.pseudoAddress
    // The short service goes first where both do not fit beside a pseudo device address.
    if advertisement.length > 31 { advertisement.omitted = advertisement.omitted.union(.short) }
    var length = 0
    do throws(HeraldAdvertisementError) { length = try advertisement.write(to: &buffer) } catch { length = 0 }
    advertising.rotate(to: identity.address)
    guard Parts.ManagementType.isPresent, isManaged else {
      advertising.setData(0, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
      return
    }
    // Hosts find the device by the service. Its serial number is not advertised: it would outlast addresses.
    var response: [18 of UInt8] = .init(repeating: 0)
    var writer = ByteWriter(response.mutableSpan)
    writer.advertisingService(HeraldUUIDs.management)
    advertising.setData(0, bytes.span.extracting(0..<length), scanResponse: response.span)
  }

  /// Checks whether there is a payload at present. Without one nothing is advertised: peers would connect
  /// without result.
  mutating func offerPayload(_ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context)
  {
    let nobody = ConnectionID(index: connections)
    guard let index = serving.values.makePayload(for: nobody, .signalling) else {
      context.offersPayload = false
      advertising.remove(0)
      // Perhaps the date is not set: the next rotation comes sooner.
      rotation.noLater(than: context.after(.seconds(10)))
      return
    }
    let digest = serving.values.pool.buffers[index].digest()
    if peers.own.note(digest) {
      context.sink.record(
        .ownPayload, serving.values.pool.buffers[index].all, in: &serving.values.pool.buffers[index])
    }
    serving.values.pool.release(nobody)
    context.offersPayload = true
    advertising.setTiming(0, interval: context.advertisingInterval, share: 1, connectable: true)
  }

  /// The radio was reset: it no longer advertises.
  mutating func radioForgot() { advertising.radioForgot() }

  /// Address and payload change at the next opportunity.
  mutating func changeSoon() { rotation.rotateSoon() }

  /// What is to be advertised now, if it has changed. `allowed` is what the connections and the sensor's
  /// switch permit.
  mutating func next(allowed: AdvertisingAllowance, _ context: inout Context) -> AdvertisingWish? {
    let plan = advertising.next(at: context.now, allowed: allowed)
    context.wake(by: plan.deadline)
    return plan.changed ? plan.wish : nil
  }

  // MARK: Additional services

  /// Advertises and serves services switched on since the last check, and removes those switched off.
  mutating func switchServices(_ serving: inout ServingType, _ context: inout Context) {
    // Without an address the first rotation is still pending.
    guard serving.values.services.needsChange, advertising.address != .zero else { return }
    showServices(withAddress: false, &serving, &context)
  }

  /// Takes new codes, with a new address all of them, and advertises and serves them from the next command to
  /// the radio on. Each is logged before it is advertised.
  @inline(never)
  mutating func showServices(withAddress: Bool, _ serving: inout ServingType, _ context: inout Context) {
    let changed = serving.values.services.change(
      withAddress: withAddress, random: &context.random,
      unixSeconds: context.sink.clock.unixSeconds(at: context.now))
    var index = 0
    while index < Parts.ServicesType.count {
      if changed.contains(index) { show(index, &serving, &context) }
      index &+= 1
    }
    serveServices(&serving, &context)
    // Connections opened before a new address do not show the new codes, and were handled.
    if !withAddress, changed != ServiceChanges() { serving.servicesChanged() }
  }

  /// Serves the codes that are shown, and schedules the next change for when the first of them expires. Not
  /// inlined, as the code generation has a frame close to the permitted limit.
  @inline(never)
  mutating func serveServices(_ serving: inout ServingType, _ context: inout Context) {
    let table = ServingType.constantTable(isManaged: serving.values.management.isOpen)
    serving.values.services.serve(behind: table, in: &serving.tableSource)
    let life = serving.values.services.life(from: context.sink.clock.unixSeconds(at: context.now))
    if life != .zero { rotation.noLater(than: context.after(life)) }
  }

  /// Advertises a service, with its present code, or stops advertising it.
  @inline(never)
  mutating func show(_ index: Int, _ serving: inout ServingType, _ context: inout Context) {
    let set = index &+ 1
    var bytes: [31 of UInt8] = .init(repeating: 0)
    var buffer = bytes.mutableSpan
    let codeLength = min(serving.values.services.copyCode(index, into: &buffer), bytes.count)
    if codeLength > 0 {
      serving.recordOwn(
        Parts.ServicesType.number(of: index), bytes.span.extracting(0..<codeLength), &context)
    }
    buffer = bytes.mutableSpan
    let length = min(serving.values.services.advertise(index, into: &buffer), bytes.count)
    guard length > 0 else {
      advertising.remove(set)
      return
    }
    advertising.setData(set, bytes.span.extracting(0..<length), scanResponse: bytes.span.extracting(0..<0))
    advertising.setTiming(set, interval: context.advertisingInterval, share: 1, connectable: true)
  }
}
