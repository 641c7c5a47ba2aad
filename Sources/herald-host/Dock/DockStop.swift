import Foundation
import HeraldHostLink
import Synchronization

/// Whether the dock is to end: by the first SIGINT, SIGTERM or SIGHUP. The second one ends the program.
final class DockStop: Sendable {
  private let isSet = Atomic(false)

  /// Whether the dock is to end.
  var isRequested: Bool { isSet.load(ordering: .relaxed) }

  /// Has the dock end.
  func request() { isSet.store(true, ordering: .relaxed) }

  /// - Throws: `.partial` if the dock is to end.
  func check() throws(HostLinkError) {
    guard isRequested else { return }
    throw HostLinkError(
      .partial, "the collection was stopped by a signal; what came is kept",
      advice: "plug the device in when the dock runs again")
  }
}

/// A transport that ends with an error when the dock is to end, and when the device has sent more than a log
/// can be.
final class DockTransport: SMPTransport {
  /// The maximum number of bytes from a device in one collection.
  static let mostBytes = 512 << 20
  /// The maximum duration of a collection.
  static let longest = Duration.seconds(3600)

  private let transport: any SMPTransport
  private let stop: DockStop
  private let end = Deadline.after(longest)
  private var bytes = 0
  /// Only once: the session is closed over the same transport.
  private var hasThrown = false

  init(_ transport: any SMPTransport, _ stop: DockStop) {
    self.transport = transport
    self.stop = stop
  }

  var location: String { transport.location }
  var window: Int { transport.window }
  var damagedPackets: Int { transport.damagedPackets }
  var receivedBytes: Int { transport.receivedBytes }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    try check()
    try transport.send(packet, by: deadline)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    try check()
    let packet = try transport.receive(by: deadline)
    bytes += packet?.count ?? 0
    return packet
  }

  func close() { transport.close() }

  private func check() throws(HostLinkError) {
    guard !hasThrown else { return }
    hasThrown = true
    try stop.check()
    guard bytes < Self.mostBytes, !end.hasPassed else {
      throw HostLinkError(
        .protocolViolation, "\(location) sends more than a log can be, or for too long",
        advice: "what is here is kept; `herald-host log pull` has no such limit")
    }
    hasThrown = false
  }
}
