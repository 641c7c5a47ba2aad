import HeraldBluetooth
import HeraldHAL

// Messages written to the signal characteristics of peers: how they are composed, split into parts, and
// marked as done.

extension Exchanges {
  /// The longest request that is sent. Its buffer is on the stack.
  static var longestRequest: Int { 128 }

  /// Composes the message of a connection's task, unless that has begun already, and returns how much of it
  /// is written next: all of it if one request holds it, or to an iPhone, which accepts prepared writes; else
  /// 20 bytes, the length that Android phones write and expect. `false` if there is no such message; the
  /// exchange then ends.
  mutating func prepareSignal(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) -> Bool {
    if table[index].written == 0 {
      switch serving.composeSignal(index, &table[index], &peers, &context) {
      case .composed: break
      case .noBuffer:
        deferExchange(index, &serving, &peers, &context)
        return false
      case .nothingToSay:
        // A payload of 510 bytes is one byte too long for a message.
        if table[index].task == .writePayload { countRefusal(of: .writePayload, &context) }
        peers.noteDone(table[index].task, Int(table[index].slot), &context)
        finish(index, &serving, &peers, &context)
        return false
      }
    }
    let length = serving.values.pool.buffers[Int(table[index].buffer) &- 1].length
    let mtu = serving.server.mtu(ConnectionID(index: index))
    let whole = (mtu < Self.longestRequest ? mtu : Self.longestRequest) &- 3
    if table[index].system == .iOS || Int(length) <= whole {
      table[index].piece = length
    } else {
      let left = length &- table[index].written
      table[index].piece = left < 20 ? left : 20
    }
    return true
  }

  /// A whole message was written.
  mutating func noteWritten(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let task = table[index].task
    context.sink.count(task == .sendMessage ? .messagesSent : .signalsSent)
    // An Android phone accepts a new message only after a payload or on a new connection; otherwise it
    // appends the bytes to the message it has.
    if table[index].system != .iOS, task != .writePayload { table[index].isSpent = true }
    table[index].written = 0
    table[index].freeBuffer(in: &serving.values.pool)
    peers.noteDone(task, Int(table[index].slot), &context)
  }

  /// The peer refused the message or has no characteristic for it, or the message does not fit.
  mutating func countRefusal(of task: PeerTask, _ context: inout Context) {
    context.sink.count(.signalsRefused)
    if task == .sendMessage { context.sink.count(.messagesLost) }
  }
}
