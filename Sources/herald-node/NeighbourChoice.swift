import ArgumentParser
import HeraldEmbedded
import HeraldLinux
import HeraldNeighbours

/// A neighbour, and its functions to be enabled.
struct NeighbourChoice: Sendable {
  private enum System { case covidWatch, c19x }

  private let system: System
  private let isObserver: Bool
  private let isPeripheral: Bool
  /// The file with C19X's day codes.
  private let file: String?

  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("covidwatch", nil): self.init(.covidWatch, observer: true, peripheral: true)
    case ("covidwatch", "observer"): self.init(.covidWatch, observer: true, peripheral: false)
    case ("covidwatch", "peripheral"): self.init(.covidWatch, observer: false, peripheral: true)
    case ("c19x", nil): self.init(.c19x, observer: true, peripheral: false)
    case ("c19x", let file?): self.init(.c19x, observer: true, peripheral: true, file: file)
    default:
      throw ValidationError(
        "'\(text)' is not covidwatch, covidwatch:observer, covidwatch:peripheral, c19x or c19x:FILE.")
    }
  }

  private init(_ system: System, observer: Bool, peripheral: Bool, file: String? = nil) {
    self.system = system
    isObserver = observer
    isPeripheral = peripheral
    self.file = file
  }

  /// Adds the functions to those already enabled. Returns a warning about the day codes for the user, if any.
  func take(part neighbours: inout CovidWatchAndC19X) throws(SystemFailure) -> String? {
    switch system {
    case .covidWatch:
      if isObserver { neighbours.covidWatch.isObserver = true }
      if isPeripheral { neighbours.covidWatch.isPeripheral = true }
    case .c19x:
      if isObserver { neighbours.c19x.isObserver = true }
      if isPeripheral { neighbours.c19x.isPeripheral = true }
      guard let file else { return nil }
      let dayCodes = try DayCodeFile(file)
      try dayCodes.provide(to: &neighbours.c19x)
      if dayCodes.isOpenToOthers {
        return "users other than its owner have access to the day codes in \(file); `chmod 600` it"
      }
    }
    return nil
  }
}
