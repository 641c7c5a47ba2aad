import ArgumentParser
import HeraldEmbedded
import HeraldLinux

/// A system beside Herald, and what to do in it.
struct NeighbourChoice: Sendable {
  private let system: NeighbourSystem
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

  private init(_ system: NeighbourSystem, observer: Bool, peripheral: Bool, file: String? = nil) {
    self.system = system
    isObserver = observer
    isPeripheral = peripheral
    self.file = file
  }

  /// Sets the switches.
  func take(part neighbours: inout CovidWatchAndC19X) throws(SystemFailure) {
    switch system {
    case .covidWatch:
      neighbours.covidWatch.isObserver = isObserver
      neighbours.covidWatch.isPeripheral = isPeripheral
    case .c19x:
      neighbours.c19x.isObserver = isObserver
      neighbours.c19x.isPeripheral = isPeripheral
      if let file { try DayCodeFile(file).provide(to: &neighbours.c19x) }
    }
  }
}
