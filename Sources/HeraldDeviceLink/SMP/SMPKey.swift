import HeraldHAL

/// The keys of the CBOR maps, except those of files and images, which have further keys.
///
/// On the wire a key is a word: that of `words` with the same index. A key of requests always has a value of
/// one type.
public enum SMPKey: UInt8, BitwiseCopyable, Sendable {
  // Keys of requests, numbers below 2³² first.

  /// Log status: a number that changes when the log is erased.
  case epoch = 0
  /// Log read: the page.
  case sequence
  /// Log read: the first byte in it.
  case offset
  /// Log read: most bytes requested (request); readable bytes of the page (response).
  case length
  /// Reset: what to start, 0 the firmware, 1 the boot loader.
  case bootMode
  /// Reset: whether to do it unconditionally.
  case force
  /// Signal: what the light shows, by the numbers of `CollectionSignal`.
  case show
  /// Settings, read: the number of bytes of the value that the host accepts.
  case maximumSize

  // Text.

  /// Statistics: the group. Settings: which.
  case name
  /// Echo, request.
  case echo
  /// Clock.
  case dateTime
  /// Boot loader, request: what is requested.
  case query
  /// Information, request: which fields.
  case format

  // Bytes.

  /// Log read and stream: the bytes.
  case data
  /// Settings: the value.
  case value
  /// Access: the proof of the key.
  case proof
  /// Acknowledgement: SHA-256 of the page.
  case digest
  /// Access: the nonce from which proofs and keys are derived, with the access key: the device's (response),
  /// the host's (request).
  case nonce

  // Keys of responses only.

  /// Version 1 errors, and those of the protocol itself in version 2: a return code.
  case returnCode
  /// Version 2 errors of a group: a map of `group` and `returnCode`.
  case error
  /// The group of the error.
  case group
  /// Echo, response.
  case echoed
  /// Parameters: bytes in the longest packet, header included.
  case bufferSize
  /// Parameters: packets that may wait.
  case bufferCount
  /// Boot loader, response: its name.
  case bootLoader
  /// Information, response: their text.
  case output
  /// Statistics: its counters.
  case fields
  /// Statistics: the groups.
  case statisticsList
  /// Log status: the number of the oldest page.
  case first
  /// Log status: the number of the newest page, which is still being written.
  case last
  /// Log status: the number of readable bytes of the newest page. Access: whether requests are served.
  case open
  /// Log status: the size of a page in bytes.
  case page
  /// Log status: the number of starts of the device.
  case boot
  /// Log status: the retention time of records in days; 0: until they are overwritten.
  case keep
  /// Log status: milliseconds since start-up.
  case now
  /// Log status: milliseconds since 1970, absent before the clock is set.
  case unix
  /// Restart: the cause, by the numbers of `RestartCause`.
  case cause
  /// Restart: the operating mode, by the numbers of `StartMode`.
  case mode
  /// Restart: starts in a row caused by faults.
  case streak
  /// Restart: starts caused by faults since power-on.
  case faults
  /// Restart: the duration of the run before, in seconds.
  case lasted
  /// Restart: the program counter, where the cause is a fault of the program.
  case programCounter
  /// Restart: the link register, with `programCounter`.
  case linkRegister
  /// Restart: the program status register, with `programCounter`.
  case programStatus
  /// Restart: the fault status register, with `programCounter`.
  case faultStatus
  /// Restart: the address whose access caused the fault, with `programCounter`.
  case faultAddress
  /// Factory reset: the number of completed erasures.
  case done
  /// Factory reset: the total number of erasures; 0 if there is no reset.
  case total
  /// Factory reset: the number of failed erasures.
  case failed
  /// Acknowledgement: the last page of it.
  case through
  /// Live: the events.
  case events
  /// Live: the number of events dropped.
  case lost
  /// Access: whether there is a key.
  case isSet
  /// Access: milliseconds until a proof is evaluated.
  case wait
  /// Payload: its family.
  case family
  /// Payload: when the last day of its keys ends, in seconds since 1970.
  case until
  /// Payload: for how many days it is offered, today included.
  case days
  /// Payload: how many keys there are, from today on.
  case keys
  /// Payload: why it is not offered, by the numbers of `SimplePayloadStatus`.
  case why
  /// Log status: the unique identifier of this device (`DeviceIdentifier`).
  case identifier
  /// Log status: whether a debugger can read the memory of the chip; absent if this is not known.
  case debugPort

  /// The words on the wire, in the order of the cases.
  private static var words: StaticString {
    """
    epoch seq off len boot_mode force show max_size
    name d datetime query format
    data val proof digest nonce
    rc err group r buf_size buf_count bootloader output fields stat_list first last open page boot keep
    now unix cause mode streak faults lasted pc lr psr cfsr far done of bad to events lost set
    wait family until days keys why id port
    """
  }

  /// The word on the wire.
  public var word: StaticWord { StaticWord(Int(rawValue), of: Self.words) }

  /// The key of this word; `nil` if there is none.
  init?(_ word: Span<UInt8>) {
    guard let index = StaticWord.index(of: word, in: Self.words) else { return nil }
    self.init(rawValue: UInt8(truncatingIfNeeded: index))
  }

  /// Whether the value is a number, in requests.
  var isNumber: Bool { rawValue <= SMPKey.maximumSize.rawValue }
  /// Whether the value is text, in requests.
  var isText: Bool { rawValue <= SMPKey.format.rawValue }
}

/// A set of request keys.
struct SMPKeys: Equatable, BitwiseCopyable {
  /// One bit for each key, at the position of its raw value.
  private var bits: UInt32

  private init(bits: UInt32) { self.bits = bits }

  static var none: Self { Self(bits: 0) }
  /// Creates a set of one key; an empty set for a key that is not used in requests.
  @inline(__always)
  init(_ key: SMPKey) { bits = key.rawValue <= SMPKey.nonce.rawValue ? 1 &<< UInt32(key.rawValue) : 0 }

  @inline(__always)
  static func | (left: Self, right: SMPKey) -> Self { Self(bits: left.bits | SMPKeys(right).bits) }

  /// Whether the set contains a key.
  func has(_ key: SMPKey) -> Bool { bits & SMPKeys(key).bits != 0 }
  /// Whether the set contains all keys of another.
  func hasAll(_ others: SMPKeys) -> Bool { others.bits & ~bits == 0 }
  mutating func insert(_ key: SMPKey) { bits |= SMPKeys(key).bits }

  /// The keys of a position in the log.
  static var logPosition: Self { SMPKeys(.epoch) | .sequence | .offset | .length }
}
