import HeraldBluetooth
import HeraldHAL

// What an advertisement shows of a peer's state.

/// What follows from an advertisement of a peer.
enum Acquaintance: UInt8, BitwiseCopyable {
  /// The peer is not to be connected at present.
  case leftAlone
  /// The target's state is the same.
  case unchanged
  /// The target is to be connected to.
  case wanted
}

extension Target {
  /// Updates the state from an advertisement.
  @inline(__always)
  mutating func note(_ seen: Introspected, at now: Instant) -> Acquaintance {
    switch state {
    case .read: return .unchanged
    case .ignored:
      // It may show a service now that it did not show before: an application came to the foreground, or was
      // installed.
      let isNew = seen.isHerald && !showedService
      guard isNew || now >= retryAt else { return .leftAlone }
      if isNew { retryAt = now }
      state = seen.isHerald ? .advertised : .candidate
    case .candidate:
      if seen.isHerald { state = .advertised }
    case .observed:
      // A peer that may hide Herald is searched for it when its codes are next to be read.
      guard seen.isHerald || (seen.peer != .ignored && (!codeIsRead || now >= retryAt)) else {
        return .unchanged
      }
      // Whether its codes were read earlier is independent of its payload.
      if seen.isHerald, !showedService { retryAt = now }
      state = seen.isHerald ? .advertised : .candidate
    case .advertised, .confirmed: break
    }
    if seen.isHerald { showedService = true }
    return .wanted
  }
}
