/// A fact from a log record, with its date: the output of `LogInterpreter`, and one line of a table.
enum LogFact {
  /// An event of a peer.
  case event(DatedEvent)
  /// Bytes sent or offered by a peer, or offered by this device.
  case bytes(DatedBytes)
  /// A battery reading.
  case battery(BatteryLevel)
  /// A change of the state of the motion sensor.
  case motion(LoggedMotion)
  /// A start caused by a fault.
  case restart(LoggedRestart)
}
