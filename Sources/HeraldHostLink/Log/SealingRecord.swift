extension DeviceRecord.Sealing {
  /// What a device says of the sealing of its log, for the record of its folder; `date` is this computer's.
  /// `nil` if the device does not say it, or responds in another format.
  public static func told(by device: DeviceClient, date: UInt64) throws(HostLinkError) -> Self? {
    do throws(HostLinkError) {
      switch try device.sealing() {
      case .sealed(let key): return Self(unixMilliseconds: date, isSealed: true, ownerKey: key.hexadecimal)
      case .unsealed, .unsupported: return Self(unixMilliseconds: date, isSealed: false, ownerKey: nil)
      case .unknown: return nil
      }
    } catch {
      guard error.cause == .protocolViolation else { throw error }
      return nil
    }
  }
}
