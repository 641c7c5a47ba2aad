import HeraldSimulation
import Testing

/// A minute of what `script/bench flood` does for an hour.
@Suite("Floods of made-up advertisements")
struct FloodTests {
  /// Those that more than one test looks at are simulated once.
  private static let herald = Result { try outcome(.herald) }
  private static let apple = Result { try outcome(.apple) }

  private static func outcome(_ kind: FloodKind?) throws -> FloodOutcome {
    var configuration = FloodConfiguration()
    configuration.kind = kind
    configuration.secondsBefore = 300
    configuration.seconds = 60
    configuration.flashPages = 12
    configuration.seed = 7
    return try Flood(configuration).run()
  }

  @Test(
    "HP-26 A thousand made-up advertisements a second for a minute: the contacts of before stay, and who is there is heard",
    arguments: FloodKind.allCases)
  func minute(kind: FloodKind) throws {
    let outcome =
      switch kind {
      case .herald: try Self.herald.get()
      case .apple: try Self.apple.get()
      default: try Self.outcome(kind)
      }
    #expect(outcome.contacts == 40 && outcome.contactsKept == 40)
    #expect(outcome.windows == 20 && outcome.windowsWithReading == 20)
    // What 1,024 identities cost is 14 KB at most.
    #expect(outcome.erasures <= 5)
    // Peers come as well; everything but them and what the budget has for strangers is refused, and the log
    // says so.
    let refused = UInt64(outcome.strangersRefused) + UInt64(outcome.readingsRefused)
    #expect(kind == .plain ? refused == 0 : refused > 55_000)
    #expect(outcome.dropped == refused)
  }

  @Test("Without a flood the same hour refuses nobody")
  func quiet() throws {
    let outcome = try Self.outcome(nil)
    #expect(outcome.contactsKept == 40 && outcome.windowsWithReading == 20)
    #expect(outcome.strangersRefused == 0 && outcome.readingsRefused == 0 && outcome.dropped == 0)
    #expect(outcome.arrivalSeconds != nil && outcome.callerSeconds != nil)
  }

  @Test(
    "Who arrives in the midst of a flood of Apple-like addresses and shows a Herald service is heard at once")
  func otherKind() throws {
    let outcome = try Self.apple.get()
    #expect((outcome.arrivalSeconds ?? 60) < 1)
    #expect((outcome.callerSeconds ?? 60) < 3)
  }

  @Test(
    "Who arrives in the midst of a flood of its own kind and opens a connection to the device is heard from then on"
  )
  func caller() throws {
    let outcome = try Self.herald.get()
    #expect((outcome.callerSeconds ?? 60) < 8)
  }
}
