/// The release of this package: programs print it (`--version`), devices report it over the management link.
public enum HeraldRelease {
  /// Such as `0.1.0`: major, minor and patch number (Semantic Versioning 2.0.0).
  @inlinable public static var version: StaticString { "0.1.0" }
}
