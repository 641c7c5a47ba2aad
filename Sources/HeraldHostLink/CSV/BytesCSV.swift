import HeraldEmbedded
import HeraldNeighbours
import HeraldText

/// `messages.csv`: one line for each signal message from a peer (HP-30).
public enum MessagesCSV {
  /// The header line.
  public static let header = "time,id,data\n"

  /// The complete file; the data in hexadecimal digits after an `x`. Bytes of other kinds are skipped.
  public static func text(of bytes: some Sequence<DatedBytes>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for message in bytes where message.kind == .message { append(message, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a message.
  static func append(_ message: DatedBytes, to csv: inout CSVText) {
    csv.raw("\(UTCTimestamp.text(message.unixMilliseconds)),\(message.peer?.addressText ?? ""),")
    csv.raw("x\(message.bytes.hexadecimal)")
    csv.endLine()
  }
}

/// `models.csv`: a line each time a peer's model was read (HP-28).
public enum ModelsCSV {
  /// The header line.
  public static let header = "time,id,model\n"

  /// The complete file, with sanitised models. Bytes of other kinds are skipped.
  public static func text(of bytes: some Sequence<DatedBytes>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for model in bytes where model.kind == .model { append(model, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a model.
  static func append(_ model: DatedBytes, to csv: inout CSVText) {
    csv.raw("\(UTCTimestamp.text(model.unixMilliseconds)),\(model.peer?.addressText ?? ""),")
    csv.foreign(PrintableText.of(String(decoding: model.bytes, as: UTF8.self), limit: 255))
    csv.endLine()
  }
}

/// `neighbours.csv`: a line for each code of an additional service, observed or offered by this device
/// (HP-52…HP-55).
public enum NeighboursCSV {
  /// The header line.
  public static let header = "time,role,system,id,code\n"

  /// The complete file. The role is `observed` or `own`, the system `covidwatch`, `c19x` or `service-` and a
  /// number; own codes have no `id`. A code is in hexadecimal digits after an `x`, in the order of the log.
  /// Bytes of other kinds are skipped.
  public static func text(of bytes: some Sequence<DatedBytes>) -> [UInt8] {
    var csv = CSVText()
    csv.raw(header)
    for code in bytes { append(code, to: &csv) }
    return csv.bytes
  }

  /// Appends the line of a code; nothing for bytes of other kinds.
  static func append(_ code: DatedBytes, to csv: inout CSVText) {
    let role: String
    let system: ServiceNumber
    switch code.kind {
    case .observed(let shown): (role, system) = ("observed", shown)
    case .own(let shown): (role, system) = ("own", shown)
    case .message, .model: return
    }
    csv.raw(
      "\(UTCTimestamp.text(code.unixMilliseconds)),\(role),\(system.tableName),\(code.peer?.addressText ?? ""),"
    )
    csv.raw("x\(code.bytes.hexadecimal)")
    csv.endLine()
  }
}

extension ServiceNumber {
  /// The name of the service in tables.
  var tableName: String {
    switch self {
    case .covidWatch: "covidwatch"
    case .c19x: "c19x"
    default: "service-\(rawValue)"
    }
  }
}
