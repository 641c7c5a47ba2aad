/// The number of connections, as far as the controller's other work depends on it.
@usableFromInline
struct ConnectionSummary: BitwiseCopyable {
  /// Open connections, those that are being closed included.
  @usableFromInline let open: Int
  /// Free slots.
  @usableFromInline let free: Int

  @usableFromInline init(open: Int, free: Int) {
    self.open = open
    self.free = free
  }
}
