import HeraldBluetooth
import HeraldHAL

/// The values of the GATT table that are generated at run time, and the messages that peers write to us.
///
/// The payload is that of the last change of address, so that both change together; it is made again for each
/// exchange (each read at offset 0) and kept for the rest of that exchange in a buffer of the pool.
public struct ServedValues<Parts: DeviceParts, let connections: Int, let buffers: Int>: AttributeValues,
  ~Copyable
{
  /// The source of payloads.
  public var supplier: Parts.SupplierType
  /// The additional services, which serve their own attributes.
  var services: Parts.ServicesType
  var names: DeviceNames
  /// When the own address changed last, and the date at that time.
  var rotatedAt: Instant
  var rotatedUnixSeconds: UInt64?
  /// Connections that were opened under a former address, a bit each: values that change with the address are
  /// not served on them.
  var former: UInt32
  var served: UInt32
  var notServed: UInt32
  /// When the request being processed was received.
  var askedAt: Instant
  /// What peers are writing to us, by connection.
  var incoming: [connections of SignalReassembly]
  /// The budget of all of them together.
  var budget: RateBudget
  /// The budget of log records caused by reads of our codes, over all peers; separate, so that reads do not
  /// use up the budget of writes.
  var servedBudget: RateBudget
  /// The budget of codes in advertisements for the log.
  var receivedBudget: RateBudget
  /// The budget that each peer has used, by its address.
  var accounts: SignalAccounts
  var signals: UInt32
  var wakes: UInt32
  var malformed: UInt32
  var withoutBuffer: UInt32
  /// The management link over Bluetooth.
  var management: Parts.ManagementType
  // Last, because of its large buffers: the members before it keep small offsets.
  var pool: PayloadPool<buffers>

  @inline(__always)
  init(supplier: () -> Parts.SupplierType) {
    self.supplier = supplier()
    services = Parts.ServicesType()
    names = DeviceNames()
    pool = PayloadPool()
    rotatedAt = .start
    rotatedUnixSeconds = nil
    served = 0
    notServed = 0
    askedAt = .start
    former = 0
    incoming = .init(repeating: SignalReassembly())
    budget = RateBudget()
    servedBudget = RateBudget()
    receivedBudget = RateBudget()
    accounts = SignalAccounts()
    signals = 0
    wakes = 0
    malformed = 0
    withoutBuffer = 0
    management = Parts.ManagementType()
  }

  /// The value of a counter that is stored here; `nil` for all others.
  func count(of counter: HeraldCounter) -> UInt32? {
    switch counter {
    case .payloadsServed: served
    case .payloadsNotServed: notServed
    case .signals: signals
    case .signalWakes: wakes
    case .signalsMalformed: malformed
    case .signalsWithoutBuffer: withoutBuffer
    default: nil
    }
  }

  /// The address changed, and the payload with it.
  mutating func rotated(at now: Instant, unixSeconds: UInt64?, isDateCertain: Bool) {
    rotatedAt = now
    rotatedUnixSeconds = unixSeconds
    supplier.dateIs(certain: isDateCertain)
    services.dateIs(certain: isDateCertain)
  }

  /// Writes this device's payload, or with `.servingLegacy` the one for peers without Herald, to a buffer of
  /// the pool. Returns the index of the buffer; `nil` if there is no payload or no buffer.
  mutating func makePayload(for connection: ConnectionID, _ use: PayloadBuffer.Use = .serving) -> Int? {
    guard let index = pool.claim(connection, use) else { return nil }
    let isLegacy = use == .servingLegacy
    guard
      pool.buffers[index].fill(
        from: &supplier, at: rotatedUnixSeconds, now: rotatedAt, isLegacy: isLegacy)
    else {
      pool.buffers[index].use = .free
      return nil
    }
    return index
  }

  /// The payload, from `offset` on.
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    switch tag {
    case .payload, .legacyPayload: break
    case .deviceName, .modelNumber, .manufacturerName: return names.read(tag, from: offset, into: &buffer)
    default:
      // Codes change with the address, too. Each number that is served is logged, and the log must not be
      // flooded.
      if Parts.ServicesType.count > 0, isFormer(connection) || offset == 0 && !mayServe(connection.index) {
        return .failed(.insufficientResources)
      }
      return services.read(tag, offset: offset, into: &buffer, on: connection)
    }
    let use: PayloadBuffer.Use = tag == .legacyPayload ? .servingLegacy : .serving
    var index = offset > 0 ? pool.find(connection, use) : nil
    // A table whose peers can subscribe to new payloads was chosen.
    if index == nil, !Parts.TableType.notifies, isFormer(connection) {
      notServed &+= 1
      return .failed(.insufficientResources)
    }
    if index == nil {
      index = makePayload(for: connection, use)
      if index != nil, offset == 0 { served &+= 1 }
    }
    guard let index else {
      notServed &+= 1
      return .failed(.insufficientResources)
    }
    let room = buffer.count
    let answer = pool.buffers[index].read(from: offset, into: &buffer)
    // A peer that got the rest, with room to spare, requests no more: the buffer is free for others.
    if room > Int(pool.buffers[index].length) &- offset { pool.buffers[index].use = .free }
    return answer
  }

  /// Whether a connection was opened under a former address.
  func isFormer(_ connection: ConnectionID) -> Bool {
    connection.index < 32 && former & 1 &<< UInt32(truncatingIfNeeded: connection.index) != 0
  }

  /// Takes a signal, or a part of one, or a legacy payload. The core acts upon it when the answer has been
  /// made. Either is written with response and not without (HP-09).
  public mutating func write(
    _ tag: AttributeTag, _ value: Span<UInt8>, withResponse: Bool, on connection: ConnectionID
  ) -> ATTErrorCode? {
    if Parts.ManagementType.isPresent, tag == .management {
      management.receive(value, on: connection, at: askedAt)
      return nil
    }
    guard withResponse else { return .writeNotPermitted }
    if tag == .legacyPayload { return collectLegacy(value, on: connection) }
    guard tag == .signal || tag == .otherSignal else { return services.write(tag, value) }
    return collect(value, tag, on: connection)
  }

  /// The length in bytes of the first of several shared payloads in a buffer, which begins at `start`.
  mutating func lengthOfFirstPayload(in buffer: Int, from start: Int) -> Int {
    pool.buffers[buffer].lengthOfFirstPayload(from: start, by: supplier)
  }
}
