import HeraldBluetooth
import HeraldCrypto
import HeraldHAL

/// Opens sealed pages with the owner's private key (docs/log-format.md).
///
/// A segment is opened only if its header, key and device are those that it was sealed with. Allocates
/// nothing. Consecutive pages cost one step of the chain of keys; others up to 255, and the first of each key
/// pair an X25519.
public struct SealedPageOpener: SealedSegmentKeys, BitwiseCopyable, Sendable {
  private var secret: [32 of UInt8] = .init(repeating: 0)
  /// The owner's public key.
  public private(set) var publicKey: [32 of UInt8] = .init(repeating: 0)
  /// The key pair of the device to which the chain belongs, and the chain's first and present keys.
  private var known: [32 of UInt8] = .init(repeating: 0)
  private var start: [32 of UInt8] = .init(repeating: 0)
  private var chain: [32 of UInt8] = .init(repeating: 0)
  private var step = -1
  /// The serial number of the device whose pages are opened.
  private var serial: [32 of UInt8] = .init(repeating: 0)
  private var serialCount = 0

  /// With a private key of 32 bytes.
  public init(secret bytes: Span<UInt8>) {
    for index in 0..<min(bytes.count, 32) { secret[index] = bytes[index] }
    publicKey = Self.product(bytes, Span())
  }

  /// Erases the private key and all values derived from it.
  public mutating func wipe() {
    var bytes = secret.mutableSpan
    bytes.wipe()
    bytes = start.mutableSpan
    bytes.wipe()
    bytes = chain.mutableSpan
    bytes.wipe()
    step = -1
  }

  /// Says which device wrote the pages that follow, by its serial number. Bytes after the 32nd do not count.
  public mutating func setDevice(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, 32)
    if count == serialCount,
      bytes.extracting(0..<count).equalsInConstantTime(serial.span.extracting(0..<count))
    {
      return
    }
    serialCount = count
    for index in 0..<count { serial[index] = bytes[index] }
    step = -1
  }

  /// Opens a page of the device with this serial number, whose first header is sealed, into `output`, which
  /// has `SealedPage.room(for:)` bytes.
  public mutating func open(
    _ page: Span<UInt8>, serial: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) -> SealedPage.Outcome {
    setDevice(serial)
    return SealedPage.open(page, with: &self, into: &output)
  }

  /// Finds the keys of a segment of the device that `setDevice` named, and whether its check is theirs.
  public mutating func find(_ keys: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool {
    var segment: [75 of UInt8] = .init(repeating: 0)
    for index in 0..<73 { segment[index] = page[offset &+ index] }
    segment[73] = UInt8(truncatingIfNeeded: offset)
    segment[74] = UInt8(truncatingIfNeeded: offset &>> 8)
    let pair = page.extracting((offset &+ 40)..<(offset &+ 72))
    let wanted = Int(segment[72])
    if step < 0 || !known.span.equalsInConstantTime(pair) {
      var secret = Self.product(self.secret.span, pair)
      guard !secret.span.isZeroInConstantTime else { return false }
      for index in 0..<32 { known[index] = pair[index] }
      LogSealKeys.begin(
        &start, secret: secret.span, publicKey: pair, owner: publicKey.span,
        serial: serial.span.extracting(0..<serialCount))
      var bytes = secret.mutableSpan
      bytes.wipe()
      step = 256
    }
    if wanted < step {
      chain = start
      step = 0
    }
    while step < wanted {
      LogSealKeys.skip(&chain)
      step &+= 1
    }
    LogSealKeys.take(&keys, from: &chain, segment: segment.span)
    step &+= 1
    return keys.span.extracting(16..<23).equalsInConstantTime(
      page.extracting((offset &+ 73)..<(offset &+ 80)))
  }

  private static func product(_ secret: Span<UInt8>, _ point: Span<UInt8>) -> [32 of UInt8] {
    var curve = X25519()
    curve.begin(scalar: secret, point: point)
    while !curve.advance() {}
    var result: [32 of UInt8] = .init(repeating: 0)
    curve.finish(into: &result)
    curve.wipe()
    return result
  }
}
