/// The release of this program.
enum NodeVersion {
  static let text = "0.1.0"
  /// The same, as the management link tells it.
  static var bytes: StaticString { "0.1.0" }
}
