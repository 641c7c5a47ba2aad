/// A byte stream to and from a Bluetooth controller that carries H4 packets (Core Specification, Vol 4, Part
/// A).
///
/// Both directions are non-blocking. Bytes arrive in order, in pieces of any size; what is written goes out
/// in order.
public protocol ControllerTransport: ~Copyable {
  /// Moves bytes that have arrived to the front of `buffer`, which is not empty. Returns how many; 0 if there
  /// is nothing now, −1 if the line is gone: then the radio reads again every quarter of a second, until the
  /// transport has opened it anew.
  mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int
  /// Whether nothing is left for now after a read that did not fill the buffer. One that gives a packet at a
  /// time says `false`, and is asked again.
  static var readsAll: Bool { get }
  /// Whether the line is never gone, as that of a UART: `read` then never returns −1, and the radio has no
  /// code for it.
  static var isAlwaysThere: Bool { get }
  /// Sends one whole packet, beginning with its H4 type byte. Returns `false`, having taken nothing, if there
  /// is no room now; the packet is offered again later.
  mutating func write(_ packet: Span<UInt8>) -> Bool
  /// The longest packet that `write` ever takes, in bytes, its H4 type byte included: 50 at least, for the
  /// longest command. Longer data leave in several packets.
  var longestPacket: Int { get }
  /// What the vendor of the controller requires before anything else, after each reset: a radio patch, a
  /// line speed, a public address. Writes command number `index`, counted from 0 after each reset, to the
  /// start of `packet`, which has 48 bytes: `01`, the opcode, the length of the parameters, at most 44 of
  /// them. Returns its length, or 0 when there are no more. Each has to be answered with Command Complete;
  /// a refusal fails the bring-up.
  mutating func vendorCommand(_ index: Int, into packet: inout MutableSpan<UInt8>) -> Int
}

extension ControllerTransport where Self: ~Copyable {
  public static var readsAll: Bool { false }
  public static var isAlwaysThere: Bool { false }
  /// The maximum length of packets created by the radio: 251 bytes of data and their headers.
  @inline(__always)
  public var longestPacket: Int { 256 }
  /// None, as with most controllers.
  public mutating func vendorCommand(_ index: Int, into packet: inout MutableSpan<UInt8>) -> Int { 0 }
}
