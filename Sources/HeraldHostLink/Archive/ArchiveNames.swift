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
