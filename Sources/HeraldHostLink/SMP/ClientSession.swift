import HeraldDeviceLink

/// The session of a client, or of several clients that share a transport.
final class ClientSession {
  /// The key for opening another session.
  final class Key {
    let key: AccessKey
    init(_ key: borrowing AccessKey) { self.key = key.copy() }
  }

  /// The lock for the session and the transport.
  let turn = LinkLock()
  private var session: HostSession?
  private var key: Key?

  var isOpen: Bool { session != nil }

  func take(_ session: consuming HostSession, key: borrowing AccessKey) {
    self.session = session
    self.key = Key(key)
  }

  /// Overwrites the keys of the session.
  @discardableResult
  func forget() -> Key? {
    session?.wipe()
    session = nil
    defer { key = nil }
    return key
  }

  func seal(_ packet: inout [UInt8]) -> UInt32? {
    var span = packet.mutableSpan
    return session?.seal(&span)
  }

  func open(_ packet: inout [UInt8], number: UInt32) -> Range<Int>? {
    var span = packet.mutableSpan
    return session?.open(&span, number: number)
  }

  deinit { session?.wipe() }
}
