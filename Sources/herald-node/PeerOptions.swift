import ArgumentParser
import HeraldEmbedded

/// Options for the handling of peers.
struct PeerOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Pass on to iPhones the payloads of others that they may not hear themselves.")
  var sharing = true

  @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: "Read peers' models.")
  var readModel = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Stay connected to peers whose system may withhold their advertisements.")
  var keepConnections = false

  @Option(help: "Which connection is given up for a new peer.")
  var connectionPolicy = PolicyChoice.oldest

  @Option(
    help: ArgumentHelp(
      "Take part in another system: covidwatch, covidwatch:observer, covidwatch:peripheral, c19x (observe only) or c19x:FILE with day codes. May be repeated.",
      valueName: "system"), transform: { try NeighbourChoice($0) })
  var neighbour: [NeighbourChoice] = []

  @Option(
    help:
      "Seconds of silence after which a peer counts as gone; less than two latencies: no scanning in rounds.")
  var expiry: UInt32 = 900

  @Option(
    help: ArgumentHelp(
      "Seconds near a venue beacon after which a stay counts as a visit.", valueName: "seconds"))
  var visitAfter: UInt32 = 120

  @Option(
    help: ArgumentHelp("Seconds without the beacon after which a stay is over.", valueName: "seconds"))
  var visitEnd: UInt32 = 300

  func validate() throws {
    guard visitAfter <= 86_400, (1...86_400).contains(visitEnd) else {
      throw ValidationError(
        "--visit-after and --visit-end take up to a day, and --visit-end at least a second.")
    }
    guard (1...604_800).contains(expiry) else { throw ValidationError("--expiry takes a second to a week.") }
  }
}

extension PeerOptions {
  /// The sensor that detects visits to venue beacons.
  var visitSensor: VisitSensor<8> {
    VisitSensor(presence: .seconds(visitAfter), absence: .seconds(visitEnd))
  }
}

/// The connection that is closed for a new peer.
enum PolicyChoice: String, ExpressibleByArgument, CaseIterable {
  case oldest
  case weakest

  var policy: ConnectionPolicy {
    switch self {
    case .oldest: .oldest
    case .weakest: .weakest
    }
  }
}
