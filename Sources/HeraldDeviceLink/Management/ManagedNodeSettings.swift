import HeraldEmbedded
import HeraldHAL

// Settings of a host and their storage: the board stores them, the node applies them.

extension ManagedNode where RadioType: ~Copyable {
  /// Applies the stored settings to the node. To be called once, before it starts.
  public mutating func takeSettings(at now: Instant) {
    board.settings.load()
    node.core.take(board.settings.settings.values, at: now)
  }

  /// Makes the supplier of payloads load its data from storage. To be called in each round of the loop,
  /// before the node is polled. Not inlined there, to keep the loop's stack frame small.
  @inline(never)
  public mutating func loadPayload(at now: Instant) { node.core.loadPayload(in: &board.settings, at: now) }

  /// The number of a setting that is in effect.
  public mutating func inEffect(_ setting: Setting) -> UInt32 { node.core.inEffect(setting) }

  /// Whether the device has what a setting is for: a link over Bluetooth, or code that seals the log.
  public static func takes(_ setting: Setting) -> Bool {
    switch setting {
    case .bluetoothManagement: Parts.ManagementType.isPresent
    case .ownerKey: Parts.FlashType.canSeal
    default: true
    }
  }

  /// Stores a number that a host has set, and applies it from now on.
  @inline(never)
  public mutating func keep(_ setting: Setting, value: UInt32?, at now: Instant) -> Bool {
    guard board.settings.keep(setting, value: value) else { return false }
    node.core.take(board.settings.settings.values, at: now)
    return true
  }

  /// Whether there is an access key.
  public mutating func hasAccessKey() -> Bool {
    board.settings.load()
    return board.settings.settings.hasAccessKey
  }

  /// Copies it.
  public mutating func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool {
    board.settings.copyAccessKey(into: &key)
  }

  /// Stores another one; sessions that were opened with the former one end.
  public mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool {
    guard board.settings.keepAccessKey(key) else { return false }
    access.keyChanged()
    return true
  }

  /// Copies the owner's public key.
  public mutating func copyOwnerKey(into key: inout MutableSpan<UInt8>) -> Bool {
    board.settings.copyOwnerKey(into: &key)
  }

  /// Stores another one: the log is sealed for it as soon as the keys for that are made.
  public mutating func keepOwnerKey(_ key: Span<UInt8>) -> Bool {
    guard Parts.FlashType.canSeal, board.settings.keepOwnerKey(key) else { return false }
    node.core.log.sealer.ownerChanged()
    return true
  }

  /// Does a part of the work on the keys of a sealed log. To be called in each round of the loop, before the
  /// log is opened and the node polled. Returns whether there is more to do: `round` is then to be called
  /// again at once. Until it returns `false` for the first time the log must not be opened: it would begin
  /// with a page that is not sealed.
  @inline(never)
  public mutating func advanceSealing(at now: Instant) -> Bool {
    guard Parts.FlashType.canSeal else { return false }
    guard board.settings.settings.hasOwnerKey else {
      node.core.log.unseal()
      return false
    }
    guard node.core.log.sealer.isDue(at: now) else { return false }
    if node.core.log.sealer.isIdle { beginSealing() }
    if node.core.log.sealer.advance() { continueSealing(at: now) }
    return node.core.log.sealer.isDue(at: now)
  }

  @inline(never)
  private mutating func beginSealing() {
    var secret: [32 of UInt8] = .init(repeating: 0)
    var room = secret.mutableSpan
    node.core.random.fill(&room)
    node.core.log.sealer.begin(secret: room.span)
    room.wipe()
  }

  /// Not inlined, as the keys are on the stack only then.
  @inline(never)
  private mutating func continueSealing(at now: Instant) {
    var owner: [32 of UInt8] = .init(repeating: 0)
    var room = owner.mutableSpan
    // Without the key nothing is logged rather than logged unsealed: it is tried again.
    guard board.settings.copyOwnerKey(into: &room) else { return }
    var serial: [32 of UInt8] = .init(repeating: 0)
    var serialRoom = serial.mutableSpan
    let count = min(max(board.information(.nodeName, into: &serialRoom), 0), serialRoom.count)
    node.core.log.makeKeys(owner: room.span, serial: serial.span.extracting(0..<count), at: now)
  }

  /// Random bytes from the node's source.
  public mutating func fillRandom(_ bytes: inout MutableSpan<UInt8>) { node.core.random.fill(&bytes) }

  /// The maximum length that the supplier accepts.
  public var storedPayloadCapacity: Int { mutating get { node.core.values.supplier.storedCapacity } }

  /// Stages a payload; a complete one is offered from the next round of the loop on.
  public mutating func stagePayload(offset: Int, total: Int, _ bytes: Span<UInt8>) -> PayloadStagingOutcome {
    board.settings.stagePayload(offset: offset, total: total, bytes, longest: storedPayloadCapacity)
  }

  /// The status from the supplier and what is stored. A request directly after a push refers to the pushed
  /// payload.
  public mutating func payloadStatus(at now: Instant) -> PayloadStatus {
    board.settings.load()
    loadPayload(at: now)
    return node.core.values.supplier.payloadStatus(
      at: node.core.clock.unixSeconds(at: now), in: &board.settings)
  }

  /// The payload that the supplier offers now.
  public mutating func copyPayload(into bytes: inout MutableSpan<UInt8>, at now: Instant) -> Int {
    node.core.values.supplier.payload(at: node.core.clock.unixSeconds(at: now), now: now, into: &bytes)
  }
}
