import HeraldBluetooth
import HeraldHAL

// The messages that are written to the signal characteristics of peers, made in buffers of the pool.

extension Serving {
  /// Composes the message of the task of an exchange, in a buffer of the pool.
  mutating func composeSignal(
    _ index: Int, _ exchange: inout Exchange, _ peers: inout PeersType, _ context: inout Context
  ) -> SignalComposition {
    let slot = Int(exchange.slot)
    let task = exchange.task
    if task == .sendMessage {
      guard let message = values.pool.find(Outbox.connection, .message) else { return .nothingToSay }
      exchange.buffer = UInt8(truncatingIfNeeded: message &+ 1)
      return .composed
    }
    guard let buffer = exchange.claimBuffer(.signalling, index, in: &values.pool) else { return .noBuffer }
    let rssi = Int16(peers.table[slot].lastRSSI.rawValue)
    var isComposed = false
    switch task {
    case .writePayload:
      isComposed = values.composePayload(in: buffer)
    case .writeRSSI:
      isComposed = values.pool.buffers[buffer].compose(.rssi, rssi: rssi)
    case .share:
      isComposed = values.pool.buffers[buffer].fill(
        sharing: &peers.sharing, for: slot, in: &peers.table, at: context.now)
    default: break
    }
    if !isComposed {
      exchange.freeBuffer(in: &values.pool)
      return .nothingToSay
    }
    return .composed
  }
}

/// The result of composing a message.
enum SignalComposition: UInt8, BitwiseCopyable {
  /// The message is in the connection's buffer.
  case composed
  /// No buffer was free.
  case noBuffer
  /// There is nothing to write.
  case nothingToSay
}

extension ServedValues {
  /// Makes a message of our payload in a buffer.
  mutating func composePayload(in buffer: Int) -> Bool {
    pool.buffers[buffer].composePayload(from: &supplier, at: rotatedUnixSeconds, now: rotatedAt)
  }
}
