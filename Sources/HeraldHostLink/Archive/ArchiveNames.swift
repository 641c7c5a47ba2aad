import HeraldEmbedded

extension TargetIdentity.Kind {
  /// What `peer.kind` of the archive says.
  var archiveName: String {
    switch self {
    case .publicAddress: "public"
    case .randomAddress: "random"
    case .pseudoAddress: "pseudo"
    case .shared: "shared"
    }
  }

  /// The kind of that name.
  init?(archiveName: String) {
    switch archiveName {
    case "public": self = .publicAddress
    case "random": self = .randomAddress
    case "pseudo": self = .pseudoAddress
    case "shared": self = .shared
    default: return nil
    }
  }
}

extension NeighbourSystem {
  /// What `event.system` of the archive says.
  var archiveName: String {
    switch self {
    case .covidWatch: "covidwatch"
    case .c19x: "c19x"
    }
  }
}

extension TargetIdentity {
  /// From `peer.kind` and `peer.address` of the archive; `nil` if they are not what this program writes.
  init?(archiveName: String, addressText: String) {
    let digits = addressText.filter { $0 != ":" }
    guard let kind = Kind(archiveName: archiveName), digits.count == 12, let value = UInt64(digits, radix: 16)
    else {
      return nil
    }
    self.init(
      kind: kind, high: UInt16(truncatingIfNeeded: value >> 32), low: UInt32(truncatingIfNeeded: value))
  }
}
