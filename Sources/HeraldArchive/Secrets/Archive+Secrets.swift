import HeraldEmbedded
import HeraldHostLink
import HeraldText

extension Archive {
  /// What the secrets of devices have said about identifiers in an archive.
  package struct Resolution: Equatable, Sendable {
    /// The number of payloads of the simple family that devices of the archive have read.
    package var read = 0
    /// The number of those that are of devices whose secrets were given.
    package var resolved = 0
    /// The number of devices that sent them.
    package var devices = 0
    /// The secrets to which users other than their owner have access.
    package var openToOthers: [String] = []
  }

  /// Finds out which devices sent the payloads of the simple family that the archive's devices have read,
  /// and stores that: not the secrets, and nothing derived from them that nobody has read. What was found
  /// before is kept for devices without a file in `folder`. The next `update` derives what this changes.
  /// - Throws: the errors of `SimpleSecret.read`; `.usage` if two devices have the same secret.
  package func resolve(_ folder: SecretFolder, epochs: [KeyScheduleEpoch]) throws(HostLinkError) -> Resolution
  {
    try ArchiveUpdate(self).scanUnread()
    return try SecretResolution(self).resolve(folder, epochs: epochs)
  }

  /// Adds the claims that secrets have proved of the payloads which a device has read.
  func addResolved(to claims: inout [[UInt8]: [PayloadClaim]], of device: Int64) throws(HostLinkError) {
    for row in try connection.rows(
      """
      SELECT p.bytes, s.serial, s.from_ms, s.to_ms FROM read_payload r JOIN payload p ON p.id = r.payload_id
        JOIN resolved_payload s ON s.bytes = p.bytes WHERE r.device_id = ? ORDER BY s.serial
      """, [.integer(device)])
    {
      claims[row.blob(0), default: []].append(
        PayloadClaim(serial: row.text(1), from: row.integer(2), to: row.integer(3), isProved: true))
    }
  }
}
