import HeraldEmbedded
import HeraldText

extension TargetIdentity.Kind {
  /// The value in `peer.kind` of the database.
  var databaseName: String {
    switch self {
    case .publicAddress: "public"
    case .randomAddress: "random"
    case .pseudoAddress: "pseudo"
    case .shared: "shared"
    }
  }
}

extension TargetIdentity {
  /// Parses `peer.kind` and `peer.address` of the database. An invalid kind is replaced with a random
  /// address, an invalid address with 0.
  init(databaseKind: String, address: String) {
    let kinds: [Kind] = [.publicAddress, .randomAddress, .pseudoAddress, .shared]
    let value = address.utf8.reduce(UInt64(0)) { value, byte in
      byte == 0x3A ? value : value << 4 | UInt64(Hexadecimal.value(of: byte) ?? 0)
    }
    self.init(
      kind: kinds.first { $0.databaseName == databaseKind } ?? .randomAddress,
      high: UInt16(truncatingIfNeeded: value >> 32), low: UInt32(truncatingIfNeeded: value))
  }
}

extension NeighbourSystem {
  /// Parses `event.system` of the database.
  init?(databaseName: String) {
    switch databaseName {
    case NeighbourSystem.covidWatch.databaseName: self = .covidWatch
    case NeighbourSystem.c19x.databaseName: self = .c19x
    default: return nil
    }
  }

  /// The value in `event.system` of the database.
  var databaseName: String {
    switch self {
    case .covidWatch: "covidwatch"
    case .c19x: "c19x"
    }
  }
}
