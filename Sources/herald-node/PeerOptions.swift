import ArgumentParser
import HeraldEmbedded

/// How the device deals with those it meets.
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

  @Option(help: "Seconds of silence after which a peer counts as gone.")
  var expiry: UInt32 = 900

  func validate() throws {
    guard (1...604_800).contains(expiry) else { throw ValidationError("--expiry takes a second to a week.") }
  }
}

/// Which connection is given up for a new peer.
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
