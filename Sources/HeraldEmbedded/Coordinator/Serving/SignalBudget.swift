import HeraldHAL

/// How many bytes signals may add to the log, so that a writing peer cannot fill it. These budgets belong to
/// the device: a new connection renews none of them.
///
/// The cost of a message is only known afterwards: the last one may exceed a limit, by one message.
///
/// The numbers: fifty phones that each write our RSSI every 15 s (3 bytes) and their payload every 5 minutes
/// (581 at most) cost 107 bytes a second together; if each shares five payloads of 21 bytes every 15 s
/// instead (144), 480. All of them may use 500 a second permanently, and 8 KiB beyond that at once, which is
/// fifty phones with payloads of 130 bytes that arrive in the same second. One address may use 62 a second,
/// twice the cost of a phone that writes a full message every 15 s, and 2 KiB at once, four full messages.
/// Successive peers on one connection number, whose payload was not read, may use 166 a second, a third of
/// all: a peer that changes its address all the time cannot displace the others.
enum SignalBudget {
  /// The limit of all peers together in bytes.
  static var limit: UInt32 { 8192 }
  /// The time in milliseconds after which a byte of `limit` is available again.
  static var pace: UInt32 { 2 }
  /// The limit of successive peers on one connection number in bytes.
  static var connectionLimit: UInt32 { 2048 }
  /// The time in milliseconds after which a byte of `connectionLimit` is available again.
  static var connectionPace: UInt32 { 6 }
  /// The time after which a byte is available again, in milliseconds for codes in advertisements.
  static var receivedPace: UInt32 { 16 }
}

/// The bytes that addresses have added to the log, in units of 16. Addresses share 32 accounts by their hash,
/// so no memory is needed for a single one. Zero bits when nothing is outstanding.
struct SignalAccounts: BitwiseCopyable {
  private var spent: [32 of UInt8]
  /// Until when time has been taken into account: units of 256 ms, their lower 32 bits.
  private var settled: UInt32

  init() {
    spent = .init(repeating: 0)
    settled = 0
  }

  /// What one account may have outstanding: 2 KiB. There is room for the message that exceeds it.
  private static var limit: UInt8 { 128 }

  /// Whether an account may be charged again. Each recovers a unit in 256 ms, which is 62 bytes a second.
  mutating func allows(_ account: UInt8, at now: Instant) -> Bool {
    let time = (now.milliseconds &>> 8).low32
    let regained = UInt8(clamping: time &- settled)
    settled = time
    var index = 0
    while index < 32 {
      spent[index] = spent[index] > regained ? spent[index] &- regained : 0
      index &+= 1
    }
    return spent[Int(account & 31)] < Self.limit
  }

  /// Charges this many units.
  mutating func spend(units: Int, _ account: UInt8) {
    let index = Int(account & 31)
    spent[index] = UInt8(clamping: Int(spent[index]) &+ units)
  }
}
