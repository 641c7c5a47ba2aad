import HeraldHAL

// Called by `LinkLayerPause`, with `procedures` held off.
extension LinkLayer where Peripheral: ~Copyable {
  /// Requests `microseconds` without radio events.
  mutating func reserve(_ microseconds: UInt32) {
    let now = exchange.radio.now()
    // Before it the loop has to be reached; after it an event is planned and the radio is started.
    reservation = Reservation(
      of: microseconds &+ Peripheral.planningTime &+ Self.restartTime, at: now)
    exchange.isPauseRequested = true
    reschedule(after: reservation.length)
  }

  /// Whether the request is granted, or its time is over.
  mutating func isReservationSettled() -> Bool {
    guard reservation.isSettled(at: exchange.radio.now()) else { return false }
    exchange.isPauseRequested = false
    return true
  }

  /// Ends the reservation.
  mutating func endReservation() {
    reservation = Reservation()
    schedule()
  }
}
