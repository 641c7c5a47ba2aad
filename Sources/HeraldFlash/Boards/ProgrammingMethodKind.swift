/// The kinds of programming methods.
package enum ProgrammingMethodKind: String, Sendable, CaseIterable {
  /// A CMSIS-DAP debug probe.
  case probe
  /// A drive of a boot loader or a probe.
  case drive
  /// A boot loader on a serial port: Nordic's, or Adafruit's.
  case serialDFU = "serial-dfu"
  /// A running device, or MCUboot's serial recovery, in the Simple Management Protocol.
  case smp
}
