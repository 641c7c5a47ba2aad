import HeraldCrypto
import HeraldEmbedded
import HeraldHAL

/// How C19X derives the 240 beacon codes of each of 1825 days from one shared secret.
///
/// With H = SHA-256, big- and little-endian 64-bit integers, and the first eight bytes of a hash as a
/// big-endian one:
///
/// | chain of days | h = H(secret) gives day 1824, H(h) day 1823, and so on down to day 0 |
/// | --- | --- |
/// | day code | first eight bytes of the day's h |
/// | seed of a day | first eight bytes of H(little-endian day code) |
/// | chain of codes | h = H(big-endian seed) gives beacon code 239, H(h) code 238, and so on down to code 0 |
/// | beacon code | first eight bytes of the code's h |
///
/// The chain of days runs backwards: from the hash of a day all earlier days can be derived. The secret
/// therefore stays with the host, and a device gets day codes, each of which gives access to one day only.
public enum C19XSchedule {
  /// The last day of the schedule; the first is 0.
  public static var lastDay: Int { 1824 }
  /// Beacon codes of a day; the first is 0.
  public static var codesPerDay: Int { 240 }
  /// Bytes of a day code.
  public static var dayCodeSize: Int { 8 }

  /// Derives the day codes of days `first`…`last` and writes them one after the other, 8 bytes each,
  /// big-endian: the data that a host sends to a device. `days` is the number of days of the schedule: 1825,
  /// except for the published vectors.
  public static func deriveDayCodes(
    from secret: Span<UInt8>, first: Int, last: Int, days: Int = lastDay &+ 1,
    into codes: inout MutableSpan<UInt8>
  ) throws(KeyScheduleError) {
    guard secret.count > 0 else { throw .secretLength }
    guard first >= 0, first <= last else { throw .emptyWindow }
    guard last < days else { throw .pastEnd }
    guard codes.count / dayCodeSize >= last &- first &+ 1 else { throw .bufferTooSmall }
    var link = SHA256.digest(of: secret)
    var day = days &- 1
    while day >= first {
      if day <= last {
        let start = (day &- first) &* dayCodeSize
        for index in 0..<dayCodeSize { codes[start &+ index] = link[index] }
      }
      step(&link)
      day &-= 1
    }
    var span = link.mutableSpan
    span.wipe()
  }

  /// The seed of a day from its day code.
  public static func seed(dayCode: UInt64) -> UInt64 {
    var bytes = bigEndian(dayCode.byteSwapped)
    var digest = SHA256.digest(of: bytes.span)
    let seed = front(of: digest)
    var span = bytes.mutableSpan
    span.wipe()
    span = digest.mutableSpan
    span.wipe()
    return seed
  }

  /// A beacon code of a day, 0…`codes` − 1, from the day's seed, in up to 240 hashes; `nil` for any other.
  /// `codes` is the number per day: 240, except for the published vectors.
  public static func beaconCode(_ index: Int, seed: UInt64, codes: Int = codesPerDay) -> UInt64? {
    guard index >= 0, index < codes else { return nil }
    var bytes = bigEndian(seed)
    var link = SHA256.digest(of: bytes.span)
    var at = codes &- 1
    while at > index {
      step(&link)
      at &-= 1
    }
    let code = front(of: link)
    var span = bytes.mutableSpan
    span.wipe()
    span = link.mutableSpan
    span.wipe()
    return code
  }

  @inline(never)
  private static func step(_ link: inout [32 of UInt8]) {
    var hash = SHA256()
    hash.update(link.span)
    hash.finish(into: &link)
  }

  private static func bigEndian(_ number: UInt64) -> [8 of UInt8] {
    var bytes: [8 of UInt8] = .init(repeating: 0)
    var rest = number
    for index in 0..<8 {
      bytes[7 &- index] = UInt8(truncatingIfNeeded: rest.low32)
      rest = rest &>> 8
    }
    return bytes
  }

  private static func front(of digest: [32 of UInt8]) -> UInt64 {
    var number = UInt64(wide: UInt32(0))
    for index in 0..<8 { number = number &<< 8 | UInt64(wide: UInt32(digest[index])) }
    return number
  }
}
