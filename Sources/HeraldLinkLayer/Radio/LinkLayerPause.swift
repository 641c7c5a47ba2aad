import HeraldHAL

/// Reserves time between the events of a link layer in the same processor (docs/link-layer.md, "Flash").
///
/// It is for the loop. A request is granted at the end of an event, or at once; meanwhile `begin` repeatedly
/// checks the state of the request, with `procedures` held off, for at most 40 ms. Between `begin` and `end`
/// no other call to the link layer is made, because the loop is in the operation.
public struct LinkLayerPause<
  Peripheral: RadioPeripheral & ~Copyable, Hold: ProceduresHold & ~Copyable, let connections: Int
>: RadioPause, ~Copyable {
  /// See `LinkLayerRadio.layer`.
  public let layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>
  var procedures: Hold

  /// A pause of `layer`.
  public init(_ layer: UnsafeMutablePointer<LinkLayer<Peripheral, connections>>, hold: consuming Hold) {
    self.layer = layer
    procedures = hold
  }

  public static var isRequired: Bool { true }

  @inline(never)
  public mutating func begin(microseconds: UInt32) {
    procedures.hold()
    layer.pointee.reserve(microseconds)
    procedures.release()
    var isSettled = false
    while !isSettled {
      procedures.hold()
      isSettled = layer.pointee.isReservationSettled()
      procedures.release()
    }
  }

  @inline(never)
  public mutating func end() {
    procedures.hold()
    layer.pointee.endReservation()
    procedures.release()
  }
}
