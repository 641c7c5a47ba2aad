import HeraldHostLink
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Advice after a failure of a write")
struct AdviceTests {
  private static let again = "herald-flash write x.hex"

  @Test("The same command is advised where it can succeed as it is, and only there")
  func repetition() {
    for cause in HostLinkError.Cause.allCases {
      let failure = FlashFailure(.link(cause), "…", state: .partlyWritten).continued(by: Self.again)
      let isTransient = [.link, .noAnswer, .noDevice, .protocolViolation, .partial, .busy].contains(cause)
      #expect(failure.advice == (isTransient ? Self.again : nil), "\(cause)")
    }
    for cause in [.image, .doesNotFit, .signature, .older, .locked, .different, .cannot]
      as [FlashFailure.Cause]
    {
      #expect(FlashFailure(cause, "…", state: .untouched).continued(by: Self.again).advice == nil, "\(cause)")
      let own = FlashFailure(cause, "…", state: .untouched, advice: "another image").continued(by: Self.again)
      #expect(own.advice == "another image")
    }
  }

  @Test("A boot loader that waits for an image is told of beside the reason for which it refused this one")
  func waiting() {
    func advice(_ cause: FlashFailure.Cause, _ own: String?) -> String? {
      FlashFailure(cause, "…", state: .erased, advice: own).continued(by: Self.again, isWaiting: true).advice
    }
    #expect(advice(.link(.link), "reconnect it") == Self.again)
    #expect(
      advice(.link(.refused), "take a smaller image")
        == "take a smaller image; the boot loader waits for an image: `\(Self.again)`")
    #expect(
      advice(.link(.refused), nil) == "the boot loader waits for another image: `\(Self.again)` with its name"
    )
  }

  @Test("After a comparison that found another byte just behind a write, to write again is no advice")
  func different() throws {
    let programmer = MockProgrammer("microbit")
    programmer.verifyFailure = FlashFailure(
      .different, "at 0x00000000 …", state: .unverified, advice: "`herald-flash write` writes it")
    let session = try FlashSession(programmer)
    let plan = try FlashPlan(image: .linked(at: 0), board: #require(BoardCatalogue.named("microbit")))
    let failure = #expect(throws: FlashFailure.self) { try session.write(plan) { _ in } }
    #expect(failure?.cause == .different && failure?.advice?.contains("herald-flash write") == false)
  }
}
