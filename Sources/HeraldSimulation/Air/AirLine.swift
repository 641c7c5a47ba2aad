/// A connection between two stations.
struct AirLine {
  enum Side: Int {
    case central = 0
    case peripheral = 1
    var other: Side { self == .central ? .peripheral : .central }
  }

  /// One PDU on its way.
  struct Box {
    var bytes: [256 of UInt8] = .init(repeating: 0)
    var count = 0
    /// It has been carried over; the receiver has not looked yet.
    var isCarried = false
  }

  var isOpen = false
  /// The request was not received: only the central is in the connected state.
  var isOneSided = false
  /// The stations, and the number each gives the connection.
  var stations: [2 of Int] = .init(repeating: 0)
  var places: [2 of Int] = .init(repeating: 0)
  /// From connection event to connection event.
  var interval: UInt64 = 0
  var supervisionTimeout: UInt64 = 0
  /// Time of the last PDU received by either side.
  var heardAt: UInt64 = 0
  var missed: UInt8 = 0
  var wasHeard = false
  /// The side that requested the disconnection.
  var closing: Side?
  /// Own requests and responses to the other side's, of either side.
  var requests: [2 of Box] = .init(repeating: Box())
  var answers: [2 of Box] = .init(repeating: Box())
  /// The host was notified that the buffer is full.
  var wasRefused: [2 of Bool] = .init(repeating: false)
  var token: UInt32 = 0
}
