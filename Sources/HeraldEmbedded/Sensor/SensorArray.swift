/// The sensors besides the radio's, and the delegate of all of them, to be a node's delegate (HP-44). The
/// node polls them; `HeraldNode.start` and `stop` switch the radio's sensor on and off.
///
/// ```swift
/// SensorArray(battery: BatterySensor(MyPower()), visits: VisitSensor<4>(), delegate: MyDelegate())
/// ```
///
/// The sensors are `first.first` and `first.second`, the delegate is `second`. `NoDelegate` means no sensor,
/// at no cost. Any delegate that has work of its own (`nextWork`) can be used as a sensor, and several
/// delegates as one. Sensors receive an event before the delegate does.
public typealias SensorArray<
  Battery: SensorDelegate & ~Copyable, Visits: SensorDelegate & ~Copyable,
  Delegate: SensorDelegate & ~Copyable
> = SensorDelegates<SensorDelegates<Battery, Visits>, Delegate>

extension SensorDelegates where First: ~Copyable, Second: ~Copyable {
  /// Two sensors and a delegate.
  public init<Battery: SensorDelegate & ~Copyable, Visits: SensorDelegate & ~Copyable>(
    battery: consuming Battery, visits: consuming Visits, delegate: consuming Second
  ) where First == SensorDelegates<Battery, Visits> {
    self.init(SensorDelegates<Battery, Visits>(battery, visits), delegate)
  }
}
