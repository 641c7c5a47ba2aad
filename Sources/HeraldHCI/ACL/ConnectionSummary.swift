/// The number of connections, as far as the controller's other work depends on it.
struct ConnectionSummary: BitwiseCopyable {
  /// Open connections, those that are being closed included.
  let open: Int
  /// Free slots.
  let free: Int

  init(open: Int, free: Int) {
    self.open = open
    self.free = free
  }
}
