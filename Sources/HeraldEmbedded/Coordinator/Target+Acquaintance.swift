import HeraldBluetooth
import HeraldHAL

// What an advertisement says about a peer's state.

/// What follows from an advertisement of a peer.
@usableFromInline
enum Acquaintance: UInt8, BitwiseCopyable {
  /// The peer is one to leave alone at present.
  case leftAlone
  /// Its state is the same.
  case unchanged
  /// Its payload is known; it may be owed more.
  case read
  /// It is to be connected to.
  case wanted
}

extension Target {
  /// Brings the state up to date with what an advertisement shows.
  @usableFromInline @inline(__always)
  mutating func note(_ seen: Introspected, at now: Instant) -> Acquaintance {
    switch state {
    case .read: return .read
    case .ignored:
      // It may show a service now that it did not before: an application came to the foreground, or was
      // installed.
      let isNew = seen.isHerald && !showedService
      guard isNew || now >= retryAt else { return .leftAlone }
      if isNew { retryAt = now }
      state = seen.isHerald ? .advertised : .candidate
    case .candidate:
      if seen.isHerald { state = .advertised }
    case .neighbour:
      // One that may hide Herald is asked about it when its codes are next to be read.
      guard seen.isHerald || (seen.peer != .ignored && (!codeIsRead || now >= retryAt)) else {
        return .unchanged
      }
      // That its codes were read a while ago, or could not be, says nothing about its payload.
      if seen.isHerald, !showedService { retryAt = now }
      state = seen.isHerald ? .advertised : .candidate
    case .advertised, .confirmed: break
    }
    if seen.isHerald { showedService = true }
    return .wanted
  }
}
