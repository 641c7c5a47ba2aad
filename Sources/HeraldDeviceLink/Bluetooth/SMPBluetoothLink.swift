import HeraldBluetooth
import HeraldHAL

/// SMP over Bluetooth, device side: one request at a time, whose response replaces it in a buffer, for
/// packets of at most `memory` − 3 bytes.
///
/// Requests wait in the `ManagementPort` of the device. A response is notified in parts of at most
/// ATT_MTU − 3 bytes; a part that the radio does not accept is sent when it does, and the next request is
/// served when the response has been passed on completely. What is requested without a session is limited
/// (`AccessRules`).
///
/// `memory` is 40…65,535; a multiple of the bytes of a notification (236 at the largest ATT_MTU) plus three
/// makes the best use of the connection.
public struct SMPBluetoothLink<let memory: Int>: ~Copyable {
  /// The packet, behind the three bytes of a notification's header. The header of a later part replaces bytes
  /// that were sent.
  private var bytes: [memory of UInt8]
  private var count: Int
  private var sent: Int
  private var session: UInt16
  /// Whether the response is sealed.
  private var isSealed: Bool

  /// Bytes of the header of a notification (Vol 3, Part F, 3.4.7.1).
  private static var headerSize: Int { 3 }
  /// The number of requests that are served in a call.
  private static var requestsPerCall: Int { 4 }

  /// A link without a client. All of it is zero bits.
  public init() {
    bytes = .init(repeating: 0)
    count = 0
    sent = 0
    session = 0
    isSealed = false
  }

  /// Serves requests and passes responses to the radio, as far as it accepts them. Returns when to call again
  /// at the latest: `now` if the radio has something to send, or if there may be more requests.
  @inline(never)
  public mutating func serve<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) -> Instant {
    let present = device.managementSession
    if present != session {
      // Another client: neither the session nor a response is that of the one before.
      session = present
      count = 0
      server.endSession()
    }
    guard present != 0 else { return .never }
    var hasMoved = false
    var left = Self.requestsPerCall
    while left > 0 {
      if count > 0 {
        guard send(at: now, &hasMoved, device: &device) else { break }
      }
      guard take(at: now, server: &server, device: &device) else { break }
      hasMoved = true
      left &-= 1
    }
    return hasMoved ? now : .never
  }

  /// Takes the next request and makes its response. `false` if there is no request.
  private mutating func take<Device: ManagedDevice & ~Copyable>(
    at now: Instant, server: inout SMPServer, device: inout Device
  ) -> Bool {
    var whole = bytes.mutableSpan
    var packet = whole._mutatingExtracting(Self.headerSize..<memory)
    let length = device.takeManagementRequest(into: &packet)
    guard length > 0 else { return false }
    count = server.respond(to: &packet, count: length, isRemote: true, at: now, device: &device)
    sent = 0
    isSealed = count > SMPHeader.size && packet[1] & SMPHeader.sealedFlag != 0
    return true
  }

  /// How many bytes are notified at once, of `room`, which is 20 or more: with the headers of ATT and L2CAP,
  /// of 3 and 4 bytes, they fill packets of 27 bytes, as a link layer without data length extension sends.
  private static func part(_ room: Int) -> Int { room &- (room &+ 7) % 27 }

  /// Passes the rest of the response to the radio. `false` if it does not accept all of it now.
  private mutating func send<Device: ManagedDevice & ~Copyable>(
    at now: Instant, _ hasMoved: inout Bool, device: inout Device
  ) -> Bool {
    while sent < count {
      let room = device.managementRoom
      // The client does not receive notifications: its response is discarded.
      guard room > 0 else {
        count = 0
        return true
      }
      let end = min(count, sent &+ Self.part(room))
      var whole = bytes.mutableSpan
      var part = whole._mutatingExtracting(sent..<(end &+ Self.headerSize))
      do throws(RadioError) {
        try device.notifyManagement(&part, at: now)
      } catch {
        if error != .busy { count = 0 }
        return false
      }
      hasMoved = true
      sent = end
    }
    if isSealed { device.trustManagementClient(at: now) }
    count = 0
    return true
  }
}
