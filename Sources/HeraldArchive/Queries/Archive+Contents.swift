import HeraldHostLink

extension Archive {
  /// A device of an archive: a row of `device`.
  package struct Device: Equatable, Sendable, Encodable {
    /// The device's serial number.
    package let serial: String
    /// The device's name.
    package let name: String
    /// The version of its firmware.
    package let version: String
    /// The number of its pages.
    package let pages: Int64
    /// The number of measurements.
    package let readings: Int64
    /// The number of measurements without a date.
    package let undated: Int64
    /// The number of records that exceeded a limit of this program.
    package let lost: Int64
    /// The date of the first sign of a peer, in milliseconds since 1970-01-01T00:00:00Z.
    package let firstMs: Int64?
    /// The date of the last one.
    package let lastMs: Int64?
  }

  /// A page that differs from that of the same number in the archive: a row of `refused`.
  package struct RefusedPage: Equatable, Sendable, Encodable {
    /// The serial number of the device.
    package let device: String
    /// The epoch of the log.
    package let epoch: Int64
    /// The number of the page.
    package let sequence: Int64
    /// The digest of its bytes in hexadecimal digits.
    package let sha256: String
    /// Why it was refused.
    package let reason: String
  }

  /// The path of the archive's file, or the address of its database without a password.
  package var location: String { connection.location }

  /// The devices, by serial number.
  package func devices() throws(HostLinkError) -> [Device] {
    try connection.rows(
      """
      SELECT d.serial, d.name, d.version, (SELECT COUNT(*) FROM page p WHERE p.device_id = d.id), d.readings,
        d.undated, d.lost, d.first_ms, d.last_ms
      FROM device d ORDER BY d.serial
      """
    ).map {
      Device(
        serial: $0.text(0), name: $0.text(1), version: $0.text(2), pages: $0.integer(3),
        readings: $0.integer(4), undated: $0.integer(5), lost: $0.integer(6), firstMs: $0.optionalInteger(7),
        lastMs: $0.optionalInteger(8))
    }
  }

  /// Everybody in the contacts, by kind and label.
  package func parties() throws(HostLinkError) -> [Who] {
    try connection.rows("SELECT \(Who.columns) FROM who ORDER BY kind, label, id").map { Who($0, from: 0) }
  }

  /// The pages that were refused because another one of the same number is in the archive.
  package func refusedPages() throws(HostLinkError) -> [RefusedPage] {
    try connection.rows(
      """
      SELECT d.serial, r.epoch, r.sequence, r.sha256, r.reason FROM refused r JOIN device d ON d.id = r.device_id
      ORDER BY d.serial, r.epoch, r.sequence, r.sha256
      """
    ).map {
      RefusedPage(
        device: $0.text(0), epoch: $0.integer(1), sequence: $0.integer(2), sha256: $0.blob(3).hexadecimal,
        reason: $0.text(4))
    }
  }
}
