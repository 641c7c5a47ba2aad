import HeraldText

/// Whether a device seals its log.
public enum DeviceSealing: Equatable, Sendable {
  /// The device seals its log for this public key.
  case sealed([UInt8])
  /// The device does not seal its log: it has no owner's key.
  case unsealed
  /// The device does not say so without its access key.
  case unknown
  /// The device's firmware cannot seal.
  case unsupported

  /// As text.
  public var words: String {
    switch self {
    case .sealed(let key): "sealed for \(key.prefix(4).hexadecimal)…"
    case .unsealed: "not sealed (`herald-host config set log/owner-key` seals it)"
    case .unknown: "not known without the access key"
    case .unsupported: "not sealed: the firmware cannot do it"
    }
  }
}

extension DeviceSealing: Encodable {
  /// Encodes the key in hexadecimal, or one of "no", "unknown", "unsupported".
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .sealed(let key): try container.encode(key.hexadecimal)
    case .unsealed: try container.encode("no")
    case .unknown: try container.encode("unknown")
    case .unsupported: try container.encode("unsupported")
    }
  }
}

extension DeviceClient {
  /// Whether the device seals its log.
  public func sealing() throws(HostLinkError) -> DeviceSealing {
    do throws(HostLinkError) {
      guard let key = try ownerKey() else { return .unsupported }
      return key.isEmpty ? .unsealed : .sealed(key)
    } catch {
      guard error.cause == .refused else { throw error }
      return .unknown
    }
  }
}
