import HeraldBluetooth
import HeraldHAL

/// A Herald device: a radio and the core that commands it.
///
/// The board's loop, or the program around it, calls `poll` whenever the radio's transport has data and at
/// the latest at the moment the last `poll` returned.
public struct HeraldNode<
  RadioType: Radio & ~Copyable, Parts: DeviceParts,
  let targets: Int, let connections: Int, let payloads: Int
>: ~Copyable {
  /// The type of everything except the radio.
  public typealias Core = HeraldCore<Parts, targets, connections, payloads>

  /// The radio.
  public var radio: RadioType
  /// Everything except the radio.
  public var core: Core

  /// After advertisements alone the rest of the device runs at least once in this interval.
  static var pollInterval: Interval { .milliseconds(100) }

  /// A device that has not started; it starts at the first `poll`.
  public init(
    radio: consuming RadioType, flash: consuming Parts.FlashType,
    random: consuming Parts.RandomType, supplier: @autoclosure () -> Parts.SupplierType,
    delegate: @autoclosure () -> Parts.DelegateType,
    configuration: @autoclosure () -> HeraldConfiguration = HeraldConfiguration(),
    names: DeviceNames? = nil
  ) {
    self.radio = radio
    core = HeraldCore(
      flash: flash, random: random, supplier: supplier, delegate: delegate, configuration: configuration)
    if let names { core.names = names }
  }

  /// The same with the radio made in place. A radio that is passed in would be copied over the stack with all
  /// its connections' buffers, for which a microcontroller has no room.
  public init(
    makingRadio radio: () -> RadioType, flash: consuming Parts.FlashType,
    random: consuming Parts.RandomType, supplier: @autoclosure () -> Parts.SupplierType,
    delegate: @autoclosure () -> Parts.DelegateType,
    configuration: @autoclosure () -> HeraldConfiguration = HeraldConfiguration(),
    names: DeviceNames? = nil
  ) {
    self.radio = radio()
    core = HeraldCore(
      flash: flash, random: random, supplier: supplier, delegate: delegate, configuration: configuration)
    if let names { core.names = names }
  }

  /// Processes the radio's events, runs the core, commands the radio, and lets it send. Returns when to poll
  /// again at the latest; an earlier call is always allowed.
  @inline(never)
  public mutating func poll(at now: Instant) -> Instant {
    let advertisements = core.context.sink.counters[.adverts]
    let radioDue = radio.poll(at: now, into: &core)
    // An advertisement of a known peer changes only the table and the log, and there may be hundreds a
    // second.
    if core.context.sink.counters[.adverts] != advertisements, !core.context.hasNews, radioDue > now {
      if now < core.context.wakeAt { return radioDue < core.context.wakeAt ? radioDue : core.context.wakeAt }
    }
    let next = core.run(at: now, commanding: &radio)
    core.context.wake(by: now + Self.pollInterval)
    // The commands are sent now, and events that result at once are processed.
    let radioNext = radio.poll(at: now, into: &core)
    if core.context.hasNews { return now }
    return radioNext < next ? radioNext : next
  }
}

extension HeraldNode where RadioType: ~Copyable {
  /// Switches the sensor on. It is on when the device starts; the next `poll` does what follows.
  public mutating func start(at now: Instant) { core.switchOn(at: now) }
  /// Switches the sensor off; the next `poll` does what follows.
  public mutating func stop(at now: Instant) { core.switchOff(at: now) }
}
