/// Holds off the interrupt that calls `LinkLayer.procedures`, while the host uses the link layer.
///
/// The host and `procedures` are never in the link layer at the same time: where an interrupt calls
/// `procedures`, the host holds that interrupt off for the duration of a call, some 100 µs at most. An
/// interrupt that becomes pending meanwhile is taken after `release`. The radio interrupt is not held off: it
/// shares only the state of the event in progress (`LinkLayer`).
public protocol ProceduresHold: ~Copyable {
  /// `procedures` is not called from now on. The compiler does not move accesses to memory across this call.
  mutating func hold()
  /// `procedures` may be called again.
  mutating func release()
}
