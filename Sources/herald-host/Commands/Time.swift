import ArgumentParser
import Foundation
import HeraldHostLink

/// `herald-host time`
struct Time: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sets the clock of a device.", subcommands: [Sync.self])

  /// `herald-host time sync`
  struct Sync: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets a device's clock from this computer's.",
      discussion: "What the device logged since it started, and before, gets its date from this.")

    @OptionGroup var options: DeviceOptions
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let wasSet: Bool
      let driftMilliseconds: Int64?
      let unixMilliseconds: UInt64
    }

    func run() throws {
      try options.withDevice { device, open in
        let before = try device.clock()
        let drift = before.map { Int64(clamping: $0) - Int64(clamping: Self.now) }
        let moment = Self.now
        try device.setClock(unixMilliseconds: moment)
        try display.show(Row(wasSet: before != nil, driftMilliseconds: drift, unixMilliseconds: moment)) {
          var change = "it had not been set"
          if let drift { change = "it was \(abs(drift)) ms \(drift < 0 ? "behind" : "ahead")" }
          print("The clock of \(open.transport.location) is \(Console.date(moment)) UTC now; \(change).")
        }
      }
    }

    private static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
  }
}
