/// A column of a flat table.
package struct ParquetColumn: Equatable, Sendable {
  /// The type of the values.
  package enum Kind: Equatable, Sendable {
    /// Truth values.
    case boolean
    /// Whole numbers of 32 bits; others are cut to them.
    case int32
    /// Whole numbers of 64 bits.
    case int64
    /// Milliseconds since 1970-01-01T00:00:00Z, of the logical type TIMESTAMP.
    case timestamp
    /// Text in UTF-8, of the logical type STRING.
    case string
    /// Bytes.
    case bytes
  }

  /// The name, which is unique within the table.
  package let name: String
  /// The type of the values.
  package let kind: Kind
  /// Whether a row may have no value.
  package let isOptional: Bool

  /// Creates a column.
  package init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
    (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
  }

  /// The enumeration `Type` of parquet.thrift.
  var physicalType: Int32 {
    switch kind {
    case .boolean: 0
    case .int32: 1
    case .int64, .timestamp: 2
    case .string, .bytes: 6
    }
  }

  /// Whether the values are bytes of any length.
  var isText: Bool { kind == .string || kind == .bytes }

  /// The structure `SchemaElement`. The older `converted_type` is there for readers of older files.
  func write(to thrift: inout ThriftWriter) {
    thrift.structure { element in
      element.field(1, physicalType)
      element.field(3, isOptional ? 1 : 0 as Int32)
      element.field(4, name.utf8)
      switch kind {
      case .string:
        element.field(6, 0 as Int32)
        element.field(10) { logical in logical.field(1) { _ in } }
      case .timestamp:
        element.field(6, 9 as Int32)
        element.field(10) { logical in
          logical.field(8) { timestamp in
            timestamp.field(1, true)
            timestamp.field(2) { unit in unit.field(1) { _ in } }
          }
        }
      case .boolean, .int32, .int64, .bytes: break
      }
    }
  }
}
