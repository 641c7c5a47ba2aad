/// The release of this package: programs print it (`--version`), devices report it over the management link.
public enum HeraldRelease {
  /// Such as `0.1.0`: major, minor and patch number (Semantic Versioning 2.0.0).
  public static var version: StaticString { "0.1.0" }
  /// The first day on which this version can be in use, in seconds since 1970-01-01T00:00:00Z, changed with
  /// `version`: 2026-11-01. The clock of a computer that says an earlier date is wrong.
  public static var unixSeconds: UInt64 { 1_793_491_200 }
}
