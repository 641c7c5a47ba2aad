import HeraldHAL

/// Authenticated encryption AES-128-CCM (RFC 3610) of one packet in place, with a length field of two bytes
/// (L = 2) and so a nonce of 13.
///
/// A packet is `clear` bytes that are authenticated and not encrypted, 1…14; the text, 0…65,535 bytes; and
/// `tag` bytes, an even number 4…16. Where it is a packet of a network this is the form of the test vectors
/// in RFC 3610, section 8.
///
/// One instance is for one packet: it is erased afterwards. A nonce must never be used twice with the same
/// key for sealing.
public struct AES128CCM: ~Copyable {
  private var key: [16 of UInt8]
  /// A_i (2.3): flags, nonce, number of the block.
  private var counter: [16 of UInt8]
  /// S_i: the key stream of the block.
  private var stream: [16 of UInt8]
  /// X_i (2.2): the CBC-MAC so far.
  private var code: [16 of UInt8]

  /// For one packet.
  @inline(never)
  public init(key: [16 of UInt8], nonce: [13 of UInt8]) {
    self.key = key
    counter = .init(repeating: 0)
    stream = .init(repeating: 0)
    code = .init(repeating: 0)
    counter[0] = 1
    for index in 0..<13 { counter[1 &+ index] = nonce[index] }
  }

  /// Encrypts the text and writes the tag behind it; `false`, and nothing is changed, if `packet` does not
  /// have this form.
  @inline(never)
  public mutating func seal(_ packet: inout MutableSpan<UInt8>, clear: Int, tag: Int) -> Bool {
    guard transform(&packet, clear, tag, isSealing: true) else { return false }
    let end = packet.count &- tag
    for index in 0..<tag { packet[end &+ index] = code[index & 15] }
    wipe()
    return true
  }

  /// Decrypts the text; `false` if the tag is not that of the packet, or `packet` does not have this form:
  /// the text is then not valid.
  @inline(never)
  public mutating func open(_ packet: inout MutableSpan<UInt8>, clear: Int, tag: Int) -> Bool {
    guard transform(&packet, clear, tag, isSealing: false) else { return false }
    let end = packet.count &- tag
    var difference: UInt8 = 0
    for index in 0..<tag { difference |= packet[end &+ index] ^ code[index & 15] }
    wipe()
    return difference == 0
  }

  /// Encrypts or decrypts the text, and computes its tag in `code`. Both read the text once.
  @inline(never)
  private mutating func transform(
    _ packet: inout MutableSpan<UInt8>, _ clear: Int, _ tag: Int, isSealing: Bool
  ) -> Bool {
    guard clear > 0, clear <= 14, tag >= 4, tag <= 16, tag & 1 == 0 else { return false }
    let length = packet.count &- clear &- tag
    guard length >= 0, length <= 0xFFFF else { return false }
    code = counter
    code[0] = 0x41 | UInt8(truncatingIfNeeded: (tag &- 2) &<< 2)
    code[14] = UInt8(truncatingIfNeeded: length &>> 8)
    code[15] = UInt8(truncatingIfNeeded: length)
    AES128.encrypt(&code, key: key)
    code[1] ^= UInt8(truncatingIfNeeded: clear)
    for index in 0..<clear { code[2 &+ index] ^= packet[index] }
    var offset = 0
    while offset < length {
      let byte = offset & 15
      if byte == 0 {
        AES128.encrypt(&code, key: key)
        let block = offset &>> 4 &+ 1
        counter[14] = UInt8(truncatingIfNeeded: block &>> 8)
        counter[15] = UInt8(truncatingIfNeeded: block)
        makeStream()
      }
      let given = packet[unchecked: clear &+ offset]
      let made = given ^ stream[unchecked: byte]
      packet[unchecked: clear &+ offset] = made
      code[unchecked: byte] ^= isSealing ? given : made
      offset &+= 1
    }
    AES128.encrypt(&code, key: key)
    counter[14] = 0
    counter[15] = 0
    makeStream()
    for index in 0..<16 { code[index] ^= stream[index] }
    return true
  }

  @inline(never)
  private mutating func makeStream() {
    stream = counter
    AES128.encrypt(&stream, key: key)
  }

  @inline(never)
  private mutating func wipe() {
    var bytes = key.mutableSpan
    bytes.wipe()
    bytes = stream.mutableSpan
    bytes.wipe()
    bytes = code.mutableSpan
    bytes.wipe()
  }
}
