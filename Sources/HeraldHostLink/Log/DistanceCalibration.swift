import Foundation
import HeraldText

/// A model of the distance at an attenuation, which somebody has fitted to measurements of the devices and
/// the place in question.
///
/// A YAML file:
///
/// ```yaml
/// name: ward 3, badges on lanyards
/// model: log    # 10^((attenuation − offset) / (10 × slope)); or linear: offset + slope × attenuation
/// offset: 41    # log: attenuation at 1 m in dB; linear: distance in m at 0 dB
/// slope: 2.1    # log: path loss exponent; linear: m/dB
/// error: 0.9    # mean absolute error in m of the measurements that it was fitted to
/// ```
public struct DistanceCalibration: Equatable, Sendable {
  /// The form of the model.
  public enum Model: String, Sendable {
    /// Log-distance path loss: 10^((attenuation − offset) / (10 × slope)).
    case log
    /// offset + slope × attenuation.
    case linear
  }

  /// The name that is shown with each distance.
  public let name: String
  /// The form of the model.
  public let model: Model
  /// In dB for `log`, in metres for `linear`.
  public let offset: Double
  /// The exponent for `log`, metres per dB for `linear`.
  public let slope: Double
  /// The mean absolute error in metres.
  public let error: Double

  /// The greatest distance, in metres, for which Bluetooth at these powers says anything.
  private static let most = 1000.0

  /// Reads a file.
  /// - Throws: `.storage` if it cannot be read; `.usage` with the line if a field is missing, unknown or
  ///   out of
  ///   range. The error is required: a distance without it says more than is known.
  public init(reading path: String) throws(HostLinkError) {
    try self.init(try YAMLFields.file(path))
  }

  /// Parses the text of a file; `file` is its name in errors.
  public init(_ text: String, file: String) throws(HostLinkError) {
    try self.init(try YAMLFields(text, file: file))
  }

  private init(_ source: YAMLFields) throws(HostLinkError) {
    var fields = source
    name = PrintableText.name(try fields.text("name"))
    guard let model = Model(rawValue: try fields.text("model")) else {
      throw fields.refusal("model", "is log or linear")
    }
    self.model = model
    offset = try Self.number("offset", -1000...1000, &fields)
    slope = try Self.number("slope", -1000...1000, &fields)
    error = try Self.number("error", 0...1000, &fields)
    guard model == .linear || slope > 0 else { throw fields.refusal("slope", "of a log model is above 0") }
    guard error > 0 else { throw fields.refusal("error", "is above 0: no calibration is exact") }
    try fields.finish()
  }

  private static func number(_ name: String, _ range: ClosedRange<Double>, _ fields: inout YAMLFields)
    throws(HostLinkError) -> Double
  {
    guard let number = Double(try fields.text(name)), range.contains(number) else {
      throw fields.refusal(name, "is a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
    }
    return number
  }

  /// The distance in metres at an attenuation in dB, 0…1000.
  public func distance(attenuation: Int) -> Double {
    let distance =
      switch model {
      case .log: pow(10, (Double(attenuation) - offset) / (10 * slope))
      case .linear: offset + slope * Double(attenuation)
      }
    return min(max(distance, 0), Self.most)
  }
}
