/// The ways by which firmware gets onto a board.
public enum ProgrammingMethodKind: String, Sendable, CaseIterable {
  /// A CMSIS-DAP debug probe.
  case probe
  /// A drive that a boot loader or a probe shows.
  case drive
  /// A boot loader on a serial port: Nordic's, or Adafruit's.
  case serialDFU = "serial-dfu"
  /// A running device, or MCUboot's serial recovery, in the Simple Management Protocol.
  case smp
}
