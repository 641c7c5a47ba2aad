/// Formats floating-point numbers as Java's `Double.toString`, as in the logs of phones.
public enum JavaNumber {
  /// The shortest digits that identify `value`, with at least one decimal: without exponent from 0.001 to
  /// below 10,000,000, else with an exponent, as in `1.0E7`.
  public static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    let sign = value.sign == .minus ? "-" : ""
    if value == 0 { return sign + "0.0" }
    let (digits, exponent) = shortest(value.magnitude)
    let count = digits.count
    switch exponent {
    case -3..<0:
      return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits
    case 0..<7 where count <= exponent + 1:
      return sign + digits + String(repeating: "0", count: exponent + 1 - count) + ".0"
    case 0..<7:
      return sign + digits.prefix(exponent + 1) + "." + digits.dropFirst(exponent + 1)
    default:
      return sign + digits.prefix(1) + "." + (count > 1 ? digits.dropFirst() : "0") + "E\(exponent)"
    }
  }

  /// The significant digits of a positive number, without leading and trailing zeros, and the exponent of the
  /// first digit to the base 10.
  private static func shortest(_ value: Double) -> (digits: String, exponent: Int) {
    // Swift's description has the same shortest digits; only their layout differs.
    let parts = value.description.split(separator: "e")
    let written = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    let sides = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let whole = sides[0]
    let all = whole + (sides.count > 1 ? sides[1] : "")
    let leadingZeros = all.prefix { $0 == "0" }.count
    var digits = all.dropFirst(leadingZeros)
    while digits.last == "0" { digits.removeLast() }
    return (String(digits), written + whole.count - 1 - leadingZeros)
  }
}
