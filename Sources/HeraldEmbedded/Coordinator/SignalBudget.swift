import HeraldHAL

/// How many bytes signals may bring to the log, so that nobody can fill it by writing to us. These budgets
/// belong to the device: a new connection renews none of them.
///
/// What a message brings is only known afterwards: the last one may go beyond a limit, by one message.
///
/// The numbers: fifty phones that each write how strong they hear us every 15 s (3 bytes) and their payload
/// every 5 minutes (581 at most) bring 107 bytes a second together; if each shares five payloads of 21 bytes
/// every 15 s instead (144), 480. All of them may bring 500 for as long as they like, and 8 KiB beyond that
/// at once, which is fifty phones with payloads of 130 bytes that arrive in the same second. One address may
/// bring 62 a second, twice of what a phone brings that writes a full message every 15 s, and 2 KiB at once,
/// four full messages. The peers that come one after the other on one connection, and whose payload we have
/// not read, may bring 166 a second, a third of all: so one that comes with ever new addresses cannot take
/// the place of the others.
@usableFromInline
enum SignalBudget {
  /// What all peers together may have outstanding, and the milliseconds in which a byte is made up for.
  @usableFromInline static var limit: UInt32 { 8192 }
  /// See `limit`.
  @usableFromInline static var pace: UInt32 { 2 }
  /// The same for peers that come on one connection.
  @usableFromInline static var connectionLimit: UInt32 { 2048 }
  /// See `connectionLimit`.
  @usableFromInline static var connectionPace: UInt32 { 6 }
  /// The same for codes in advertisements.
  @usableFromInline static var heardPace: UInt32 { 16 }
}

/// What addresses have brought to the log, in units of 16 bytes. Addresses share 32 accounts by their hash,
/// so it takes no memory to remember one. Zero bits when nothing is outstanding.
@usableFromInline
struct SignalAccounts: BitwiseCopyable {
  private var spent: [32 of UInt8]
  /// Until when time has been taken into account: units of 256 ms, their lower 32 bits.
  private var settled: UInt32

  @usableFromInline
  init() {
    spent = .init(repeating: 0)
    settled = 0
  }

  /// What one account may have outstanding: 2 KiB. There is room for the message that goes beyond it.
  private static var limit: UInt8 { 128 }

  /// Whether an account may be charged again. Each makes up for a unit in 256 ms, which are 62 bytes a
  /// second.
  @usableFromInline
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

  /// Charges so many units.
  @usableFromInline
  mutating func spend(units: Int, _ account: UInt8) {
    let index = Int(account & 31)
    spent[index] = UInt8(clamping: Int(spent[index]) &+ units)
  }
}
