import Glibc
import HeraldParquet

// Writes the table of standard input as a Parquet file: `parquet-tables FILE`. The first line has a column in
// each field, `name:kind` or `name:kind?`; the others have a row each: numbers, `x` and
// hexadecimal digits, or `-` for no value. Fields are separated by blanks.
func fail(_ text: String) -> Never {
  print(text)
  exit(64)
}

func bytes(_ digits: Substring) -> [UInt8] {
  var bytes: [UInt8] = []
  var high: UInt8?
  for digit in digits.utf8 {
    let value = digit < 0x40 ? digit & 0xF : digit & 0xF + 9
    if let first = high { bytes.append(first << 4 | value) }
    high = high == nil ? value : nil
  }
  return bytes
}

func column(_ field: Substring) -> ParquetColumn {
  let parts = field.split(separator: ":")
  let kinds: [Substring: ParquetColumn.Kind] = [
    "boolean": .boolean, "int32": .int32, "int64": .int64, "timestamp": .timestamp, "string": .string,
    "bytes": .bytes,
  ]
  let isOptional = field.hasSuffix("?")
  guard parts.count == 2, let kind = kinds[isOptional ? parts[1].dropLast() : parts[1]] else {
    fail("parquet-tables: no column: \(field)")
  }
  return ParquetColumn(String(parts[0]), kind, isOptional: isOptional)
}

guard CommandLine.arguments.count == 2, let header = readLine() else { fail("usage: parquet-tables FILE") }
let columns = header.split(separator: " ").map(column)
do {
  let file = try ParquetFile(
    CommandLine.arguments[1], columns, createdBy: "parquet-tables version 1 (build 1)")
  while let line = readLine() {
    for (index, field) in line.split(separator: " ").enumerated() where field != "-" {
      if let number = Int64(field), ![.string, .bytes].contains(columns[index].kind) {
        file.append(number, to: index)
      } else {
        file.append(bytes(field.dropFirst()), to: index)
      }
    }
    try file.endRow()
  }
  try file.finish()
} catch {
  fail("parquet-tables: \(error.path): \(String(cString: strerror(error.number)))")
}
