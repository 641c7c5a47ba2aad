/// Which payload the device offers, as a person writes it.
public enum PayloadChoice: Equatable, Sendable {
  /// Country, state and a number that stands for the wearer: `fixed:826,4,1234567890`.
  case fixed(country: UInt16, state: UInt16, identifier: UInt64)
  /// The file with the matching keys of the days to come: `simple:FILE`.
  case simple(file: String)

  /// Reads the written form; what is wrong with it goes into the error.
  public init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("fixed", 2):
      let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == 3, let country = UInt16(fields[0]), let state = UInt16(fields[1]),
        let identifier = UInt64(fields[2]), identifier != 0
      else {
        throw SystemFailure(
          "offer", text, reason: "country and state are numbers up to 65535, the identifier is one from 1 on",
          advice: "an example is fixed:826,4,1234567890")
      }
      self = .fixed(country: country, state: state, identifier: identifier)
    case ("simple", 2): self = .simple(file: parts[1])
    default:
      throw SystemFailure(
        "offer", text, reason: "it is no payload this program knows",
        advice: "the forms are fixed:COUNTRY,STATE,ID and simple:KEYFILE")
    }
  }
}
