import HeraldEmbedded
import HeraldText

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
}

extension TargetIdentity {
  /// What `peer.kind` and `peer.address` of the archive say; a kind or an address that cannot be is a random
  /// address, and 0.
  init(archiveKind: String, address: String) {
    let kinds: [Kind] = [.publicAddress, .randomAddress, .pseudoAddress, .shared]
    let value = address.utf8.reduce(UInt64(0)) { value, byte in
      byte == 0x3A ? value : value << 4 | UInt64(Hexadecimal.value(of: byte) ?? 0)
    }
    self.init(
      kind: kinds.first { $0.archiveName == archiveKind } ?? .randomAddress,
      high: UInt16(truncatingIfNeeded: value >> 32), low: UInt32(truncatingIfNeeded: value))
  }
}

extension NeighbourSystem {
  /// The system that `event.system` of the archive names.
  init?(archiveName: String) {
    switch archiveName {
    case NeighbourSystem.covidWatch.archiveName: self = .covidWatch
    case NeighbourSystem.c19x.archiveName: self = .c19x
    default: return nil
    }
  }

  /// What `event.system` of the archive says.
  var archiveName: String {
    switch self {
    case .covidWatch: "covidwatch"
    case .c19x: "c19x"
    }
  }
}
