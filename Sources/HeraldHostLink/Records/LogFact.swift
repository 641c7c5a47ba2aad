/// A fact from a log record, with its date: what `LogInterpreter` makes of it, and the tables have a line
/// for.
enum LogFact {
  /// Something that happened to a peer.
  case event(DatedEvent)
  /// Bytes that a peer sent or showed, or that this device showed.
  case bytes(DatedBytes)
  /// A level of the battery.
  case battery(BatteryLevel)
  /// A start that a fault had brought about.
  case restart(LoggedRestart)
}
