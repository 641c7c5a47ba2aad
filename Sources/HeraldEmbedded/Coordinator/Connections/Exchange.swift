import HeraldBluetooth
import HeraldHAL

/// One connection: zero bits when closed, otherwise the state of its exchange.
struct Exchange: BitwiseCopyable {
  var step: ExchangeStep
  /// The peer's operating system, as far as this exchange has shown.
  var system: Target.System
  /// What the step under way is for.
  var task: PeerTask
  /// Nothing more may be written on this connection: the peer would append it to the message it has.
  var isSpent: Bool
  /// Whether the peer opened the connection; if so, the peer closes it.
  var isPeers: Bool
  /// Whether the target at `slot` is held for this exchange.
  var holdsTarget: Bool
  /// Which code of an additional service is being looked for.
  var codeRequest: CodeRequest
  /// The buffer of what is read or written in the pool, plus one; 0 for none.
  var buffer: UInt8
  /// The target's slot in the table.
  var slot: UInt16
  /// The handle of the peer's payload; 0 if it has none.
  var payloadHandle: UInt16
  /// The handle of the peer's signal characteristic; 0 if it has none.
  var signalHandle: UInt16
  /// The handle of the peer's model, or of its contact event number; 0 if it has none.
  var modelHandle: UInt16
  /// How many bytes of a message have been written, and how many are being written.
  var written: UInt16
  var piece: UInt16
  var service: HandleRange
  /// The peer's address, as the connection showed it.
  var peer: DeviceAddress
  /// Which service is looked for. It fills a padding gap: without padding all connections are cleared in
  /// place.
  var search: ServiceSearch
  /// When the connection is closed, whatever its step; once it is being closed, when the command is repeated.
  var end: Instant
  /// When the peer last sent a request; on a connection that is kept, when its RSSI was last read.
  var lastAsked: Instant
  /// When the connection was opened.
  var openedAt: Instant
  var client: GATTClient

  init() {
    step = .closed
    system = .unknown
    task = .nothing
    isSpent = false
    isPeers = false
    holdsTarget = false
    codeRequest = .none
    slot = 0
    payloadHandle = 0
    signalHandle = 0
    modelHandle = 0
    written = 0
    piece = 0
    buffer = 0
    peer = .zero
    search = ServiceSearch()
    end = .start
    lastAsked = .start
    openedAt = .start
    service = HandleRange(first: 0, last: 0)
    client = GATTClient()
  }
}

extension Exchange {
  /// A connection to this peer was opened.
  mutating func opened(by peer: DeviceAddress, at now: Instant) {
    self.peer = peer
    lastAsked = now
    openedAt = now
  }

  /// The RSSI of the peer was read on the connection. Returns the target's slot, if one is held.
  mutating func measured(at now: Instant) -> Int? {
    guard holdsTarget else { return nil }
    lastAsked = now
    return Int(slot)
  }

  /// Handles of a previous service are not valid for the one that was found now.
  mutating func forgetService() {
    payloadHandle = 0
    signalHandle = 0
    system = .unknown
  }

  /// Notes which of the service's characteristics are there. The signal characteristic identifies the peer's
  /// system.
  mutating func note(_ pdu: Span<UInt8>) {
    var characteristics = GATTCharacteristics(pdu)
    while let found = characteristics.next() {
      if step == .findModel {
        if found.uuid == HeraldUUIDs.modelNumber { modelHandle = found.value }
      } else if found.uuid == HeraldUUIDs.payload, payloadHandle == 0 {
        payloadHandle = found.value
      } else if found.uuid == HeraldUUIDs.compliantSignal {
        system = .compliant
        signalHandle = found.value
      } else if found.uuid == HeraldUUIDs.otherSignal, system == .unknown {
        system = .iOS
        signalHandle = found.value
      }
    }
  }

  /// Whether what was looked for among the characteristics is there.
  var isThere: Bool {
    (step == .findModel ? modelHandle : payloadHandle) != 0
  }
}

// The buffer of what is read or written.
extension Exchange {
  /// Claims a buffer of the pool for the connection with this number; `nil` if none is free.
  mutating func claimBuffer<let count: Int>(
    _ use: PayloadBuffer.Use, _ index: Int, in pool: inout PayloadPool<count>
  ) -> Int? {
    let claimed = pool.claim(ConnectionID(index: index), use)
    buffer = claimed.map { UInt8(truncatingIfNeeded: $0 &+ 1) } ?? 0
    return claimed
  }

  /// Releases the buffer. A message of the application does not belong to the connection and stays: other
  /// peers may still need it.
  mutating func freeBuffer<let count: Int>(in pool: inout PayloadPool<count>) {
    let index = Int(buffer) &- 1
    if index >= 0, pool.buffers[index].use != .message { pool.buffers[index].use = .free }
    buffer = 0
  }

  /// Copies the bytes of `pdu` from `from` on to their offset in the buffer; `false` if there is no buffer or
  /// they do not fit.
  mutating func put<let count: Int>(
    _ pdu: Span<UInt8>, _ from: Int, at offset: Int, in pool: inout PayloadPool<count>
  ) -> Bool {
    let index = Int(buffer) &- 1
    guard index >= 0, from >= 0, from <= pdu.count else { return false }
    return pool.buffers[index].put(pdu.extracting(from..<pdu.count), at: offset)
  }

  /// A part of the message in the buffer was written. Returns whether another part follows.
  mutating func isMoreToWrite<let count: Int>(of pool: inout PayloadPool<count>) -> Bool {
    let index = Int(buffer) &- 1
    guard index >= 0 else { return false }
    written &+= piece
    return written < pool.buffers[index].length
  }
}
