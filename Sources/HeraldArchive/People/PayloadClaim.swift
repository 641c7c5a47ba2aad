/// The times in which a device sent a payload: as its own log says, or as its secret proves.
struct PayloadClaim: Equatable, Sendable {
  let serial: String
  /// The first and the last millisecond.
  let from: Int64
  let to: Int64
  /// Whether the payload was derived from the device's secret, which no other device has.
  var isProved = false

  /// The error of clocks that is tolerated, in milliseconds: two hours, as in Exposure Notification.
  static let tolerance: Int64 = 7_200_000

  /// The claim of the only device that sent a payload which was read at `date`.
  ///
  /// Claims whose time includes the date come before those whose time is at most `tolerance` away from it,
  /// and among them proved ones before others: a device can write any payload into its log. `nil` if no
  /// claim is left, or claims of more than one device: then nobody can say who sent the payload.
  static func only(of claims: [PayloadClaim], at date: Int64) -> PayloadClaim? {
    for error in [0, tolerance] {
      var found = claims.filter {
        date >= $0.from.subtractingClamped(error) && date <= $0.to.addingClamped(error)
      }
      if found.contains(where: \.isProved) { found.removeAll { !$0.isProved } }
      guard let first = found.first else { continue }
      return found.allSatisfy { $0.serial == first.serial } ? first : nil
    }
    return nil
  }
}
