/// The kind of the next data item in CBOR (RFC 8949, section 3).
public enum CBORKind: BitwiseCopyable, Sendable {
  /// Major type 0: 0…2⁶⁴−1.
  case unsigned
  /// Major type 1: −1 − argument.
  case negative
  /// Major type 2.
  case bytes
  /// Major type 3.
  case text
  /// Major type 4.
  case array
  /// Major type 5.
  case map
  /// Major type 6: a tag, with the item it qualifies behind it.
  case tag
  /// Major type 7, 0…23 or one byte more: false 20, true 21, null 22, undefined 23.
  case simple
  /// Major type 7 with two, four or eight bytes: half, single or double precision.
  case float
  /// The end of an item of indefinite length.
  case end
}

/// The head of a data item: its kind and argument (RFC 8949, section 3).
public struct CBORHead: Equatable, BitwiseCopyable, Sendable {
  /// The kind of item.
  public let kind: CBORKind
  /// A value, length, count of entries, tag number or the bits of a float; 0 when the length is indefinite.
  public let argument: UInt64
  /// Whether the item continues until an `end`.
  public let isIndefinite: Bool
  /// Bytes the head takes: 1…9.
  public let size: Int

  init(kind: CBORKind, argument: UInt64, isIndefinite: Bool, size: Int) {
    self.kind = kind
    self.argument = argument
    self.isIndefinite = isIndefinite
    self.size = size
  }
}

/// The position of a reader in the entries of an array or map.
public struct CBORContainer: BitwiseCopyable, Sendable {
  var remaining: Int
  var isIndefinite: Bool
}

extension Span where Element == UInt8 {
  /// Whether the bytes are the UTF-8 form of `text`.
  @inline(never)
  public func equals(_ text: StaticString) -> Bool {
    guard text.hasPointerRepresentation, text.utf8CodeUnitCount == count else { return false }
    let start = text.utf8Start
    for index in 0..<count where self[unchecked: index] != start[index] { return false }
    return true
  }
}
