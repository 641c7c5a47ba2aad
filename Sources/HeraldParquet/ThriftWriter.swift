/// Writes structures in Thrift's compact protocol: the page headers and the footer of a Parquet file.
///
/// A field is a byte with its type and the difference to the previous field's number, and its value; numbers
/// are zigzag varints. Fields must be written in ascending order of their numbers, at most 15 apart.
struct ThriftWriter {
  /// The types of fields and of the elements of lists.
  enum FieldType: UInt8 {
    case yes = 1
    case no = 2
    case byte = 3
    case int32 = 5
    case int64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  private(set) var bytes: [UInt8] = []
  private var last: UInt8 = 0

  /// A field with a number of 32 bits, or an enumeration.
  mutating func field(_ id: UInt8, _ value: Int32) {
    header(id, .int32)
    Varint.append(zigzag: Int64(value), to: &bytes)
  }

  /// A field with a number of 64 bits.
  mutating func field(_ id: UInt8, _ value: Int64) {
    header(id, .int64)
    Varint.append(zigzag: value, to: &bytes)
  }

  /// A field with a truth value.
  mutating func field(_ id: UInt8, _ value: Bool) { header(id, value ? .yes : .no) }

  /// A field with bytes or text.
  mutating func field(_ id: UInt8, _ value: some Collection<UInt8>) {
    header(id, .binary)
    element(value)
  }

  /// A field with a structure whose fields `body` writes.
  mutating func field(_ id: UInt8, _ body: (inout ThriftWriter) -> Void) {
    header(id, .structure)
    structure(body)
  }

  /// A field with a list; `element` writes each.
  mutating func field<Element>(
    _ id: UInt8, list: [Element], of type: FieldType, element: (inout ThriftWriter, Element) -> Void
  ) {
    header(id, .list)
    if list.count < 15 {
      bytes.append(UInt8(truncatingIfNeeded: list.count) << 4 | type.rawValue)
    } else {
      bytes.append(0xF0 | type.rawValue)
      Varint.append(UInt64(list.count), to: &bytes)
    }
    for value in list { element(&self, value) }
  }

  /// A structure: an element of a list, or the outermost one.
  mutating func structure(_ body: (inout ThriftWriter) -> Void) {
    let outer = last
    last = 0
    body(&self)
    bytes.append(0)
    last = outer
  }

  /// A structure that was written before, as an element of a list.
  mutating func append(structure: [UInt8]) { bytes += structure }

  /// A number of 32 bits as an element of a list.
  mutating func element(_ value: Int32) { Varint.append(zigzag: Int64(value), to: &bytes) }

  /// Bytes or text as an element of a list.
  mutating func element(_ value: some Collection<UInt8>) {
    Varint.append(UInt64(value.count), to: &bytes)
    bytes += value
  }

  private mutating func header(_ id: UInt8, _ type: FieldType) {
    bytes.append((id &- last) << 4 | type.rawValue)
    last = id
  }
}
