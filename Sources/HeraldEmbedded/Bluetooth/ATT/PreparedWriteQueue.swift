/// The prepared writes of one connection, until they are executed or cancelled. Zero bits when free.
@usableFromInline
struct PreparedWriteQueue: BitwiseCopyable, Sendable {
  /// Number of the owning connection + 1; 0 when free.
  private var owner: UInt8
  private var used: UInt16
  private var lastUse: UInt32
  private var bytes: [524 of UInt8]

  @usableFromInline
  init() {
    owner = 0
    used = 0
    lastUse = 0
    bytes = .init(repeating: 0)
  }

  @usableFromInline
  func isOwned(by connection: ConnectionID) -> Bool { Int(owner) == connection.index &+ 1 }

  @usableFromInline
  mutating func release() {
    owner = 0
    used = 0
  }
}
