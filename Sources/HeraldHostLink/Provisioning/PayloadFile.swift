import Foundation
import HeraldEmbedded
import Yams

/// A payload description in a YAML file: a family and its fields. `Examples/Payloads` has one of each family.
///
/// It contains no secrets: the simple family refers to the file with its secret.
public struct PayloadFile: Equatable, Sendable {
  /// The first day of the simple family.
  public enum FirstDay: Equatable, Sendable {
    /// The day on which the payload is pushed.
    case today
    /// The day that contains this time, in seconds since 1970-01-01T00:00:00Z.
    case on(UInt64)
  }

  /// The identifier of the fixed family.
  public enum Identifier: Equatable, Sendable {
    /// This number.
    case number(UInt64)
    /// A random number from the system's random source, different for each device.
    case random
  }

  /// The content of the payload.
  public enum Content: Equatable, Sendable {
    /// A constant client identifier.
    case fixed(country: UInt16, state: UInt16, Identifier)
    /// Identifiers of the Simple payload, derived from a secret in a file. `{serial}` in its path stands for
    /// the device's serial number.
    case simple(
      country: UInt16, state: UInt16, secret: String, from: FirstDay, days: Int, epoch: KeyScheduleEpoch)
    /// A venue code, and optionally the name of the premises.
    case venue(country: UInt16, state: UInt16, code: UInt32, name: String)
    /// The payload of the demonstration apps for phones.
    case test(identifier: Int32, length: Int)
    /// Any bytes.
    case bytes([UInt8])
    /// No stored payload: the device offers the payload built into its image.
    case none
  }

  /// The content of the payload.
  public let content: Content
  /// Whether several devices are meant to offer the same payload: beacons of one venue, for example.
  public let isShared: Bool

  /// Reads a file. Paths in it are relative to its folder.
  public init(path: String) throws(HostLinkError) {
    try self.init(YAMLFields.file(path))
  }

  /// Reads the content of a file from its fields.
  init(_ source: YAMLFields) throws(HostLinkError) {
    var fields = source
    let family = try fields.text("family")
    switch family {
    case "fixed": content = try Self.fixed(&fields)
    case "simple": content = try Self.simple(&fields)
    case "venue": content = try Self.venue(&fields)
    case "test":
      let identifier: Int32 = try fields.number("identifier")
      let length = try fields.optionalNumber("length") ?? TestPayloadSupplier.usualLength
      guard (TestPayloadSupplier.leastLength...Payload.maximumLength).contains(length) else {
        throw fields.refusal(
          "length", "is a number from \(TestPayloadSupplier.leastLength) to \(Payload.maximumLength)")
      }
      content = .test(identifier: identifier, length: length)
    case "bytes":
      let bytes = try fields.bytes("bytes")
      guard (1...Payload.maximumLength).contains(bytes.count) else {
        throw fields.refusal("bytes", "has 1 to \(Payload.maximumLength) bytes, each two hexadecimal digits")
      }
      content = .bytes(bytes)
    case "none": content = .none
    default: throw fields.refusal("family", "is fixed, simple, venue, test, bytes or none")
    }
    isShared = try fields.optionalTruth("shared") ?? false
    if isShared, hasSecret {
      throw fields.refusal("shared", "is not for the simple family: each device has a secret of its own")
    }
    try fields.finish()
  }

  private static func fixed(_ fields: inout YAMLFields) throws(HostLinkError) -> Content {
    let country: UInt16 = try fields.number("country")
    let state: UInt16 = try fields.optionalNumber("state") ?? 0
    if try fields.text("identifier") == "random" { return .fixed(country: country, state: state, .random) }
    let identifier: UInt64 = try fields.number("identifier")
    guard identifier > 0 else { throw fields.refusal("identifier", "is a number from 1 on, or random") }
    return .fixed(country: country, state: state, .number(identifier))
  }

  private static func simple(_ fields: inout YAMLFields) throws(HostLinkError) -> Content {
    let country: UInt16 = try fields.number("country")
    let state: UInt16 = try fields.optionalNumber("state") ?? 0
    let secret = fields.path(try fields.text("secret"))
    let days = try fields.optionalNumber("days") ?? MatchingKeyWindow.mostDays
    guard (1...MatchingKeyWindow.mostDays).contains(days) else {
      throw fields.refusal("days", "is a number from 1 to \(MatchingKeyWindow.mostDays)")
    }
    var from = FirstDay.today
    if let text = try fields.optionalText("from"), text != "today" {
      from = .on(try fields.date("from", or: "today"))
    }
    var epoch = KeyScheduleEpoch.phones
    if try fields.optionalText("epoch") != nil {
      epoch = KeyScheduleEpoch(unixSeconds: try fields.date("epoch"))
    }
    return .simple(country: country, state: state, secret: secret, from: from, days: days, epoch: epoch)
  }

  private static func venue(_ fields: inout YAMLFields) throws(HostLinkError) -> Content {
    let country: UInt16 = try fields.number("country")
    let state: UInt16 = try fields.optionalNumber("state") ?? 0
    let code: UInt32 = try fields.number("code")
    let name = try fields.optionalText("name") ?? ""
    guard code > 0 else { throw fields.refusal("code", "is a number from 1 on") }
    guard name.utf8.count <= 255 else { throw fields.refusal("name", "has at most 255 bytes") }
    return .venue(country: country, state: state, code: code, name: name)
  }
}
