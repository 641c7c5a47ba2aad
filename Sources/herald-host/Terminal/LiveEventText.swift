import HeraldConsole
import HeraldHostLink

/// Live events of a device as text.
struct LiveEventText {
  private let event: DeviceLive.Event

  init(_ event: DeviceLive.Event) { self.event = event }

  /// The name of the event in JSON output.
  var name: String {
    switch event.kind {
    case .detected: "detected"
    case .measured: "measured"
    case .read: "read"
    case .shared: "shared"
    case .lost: "lost"
    case .txPower: "tx_power"
    case .received: "message"
    case .model: "model"
    case .observed: "observed"
    case .visited: "visited"
    case .state: "state"
    }
  }

  /// The names of all kinds of events.
  static let names = [
    "detected", "measured", "read", "shared", "lost", "tx_power", "message", "model", "observed", "visited",
    "state",
  ]

  /// Whether the event concerns a peer.
  var hasPeer: Bool { event.kind != .state }

  /// Whether `level` is used by the kind of event.
  var hasLevel: Bool {
    switch event.kind {
    case .measured, .txPower, .observed, .state: true
    case .detected, .read, .shared, .lost, .received, .model, .visited: false
    }
  }

  /// Whether `count` is used by the kind of event.
  var hasCount: Bool {
    switch event.kind {
    case .read, .shared, .received, .model, .observed, .visited: true
    case .detected, .measured, .lost, .txPower, .state: false
    }
  }

  /// The kind of the peer's address.
  var peerKind: String {
    switch event.target.kind {
    case .publicAddress: "public"
    case .randomAddress: "random"
    case .pseudoAddress: "pseudo"
    case .shared: "shared"
    }
  }

  /// A line for display, without its time.
  var text: String {
    let peer = event.target.addressText
    let bytes = Console.count(Int(event.count), "byte")
    return switch event.kind {
    case .detected: "\(peer)  is there"
    case .measured: "\(peer)  \(event.level) dBm"
    case .read: "\(peer)  has a payload of \(bytes)"
    case .shared: "\(peer)  shared payloads: \(bytes)"
    case .lost: "\(peer)  is gone"
    case .txPower: "\(peer)  sends with \(event.level) dBm"
    case .received: "\(peer)  sent a message of \(bytes)"
    case .model: "\(peer)  sent its model: \(bytes)"
    case .observed: "\(peer)  showed a code of an additional service: \(bytes)"
    case .visited: "\(peer)  was visited for \(DurationText.of(seconds: event.count))"
    case .state: "the radio's state is \(event.level)"
    }
  }
}
