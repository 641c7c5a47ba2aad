/// Reads one page of a log, alone: bytes in, records out (docs/log-format.md).
///
/// The bytes may be hostile, torn or cut short at any place: the decoder yields the records that are whole and ends.
public struct LogPageDecoder: ~Copyable, ~Escapable {
  private let page: Span<UInt8>

  /// How the reading of a page ended.
  public enum Ending: Equatable, BitwiseCopyable, Sendable {
    /// There may be more records.
    case reading
    /// At the end of what was committed.
    case complete
    /// A block after the committed ones is damaged, as by a loss of power while it was written.
    case torn
    /// The records contradict the format: a damage the checksums did not see, or a page made by somebody else.
    case malformed
  }

  /// The header the records that come now belong to. A page has a further one after each restart of the device.
  public private(set) var header: LogPageHeader
  /// How the reading ended.
  public private(set) var ending: Ending

  /// A decoder at the first record of `page`, which may be cut short; `nil` if there is no valid header at its start.
  @_lifetime(copy page)
  public init?(_ page: Span<UInt8>) {
    return nil
  }

  /// The next record; `nil` at the end. Its payload bytes go to the start of `payload`, which should have room for
  /// `LogEvent.maximumBytes`; what does not fit is left out.
  @_lifetime(self: copy self)
  public mutating func next(payload: inout MutableSpan<UInt8>) -> LogRecord? { nil }
}
