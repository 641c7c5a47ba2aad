import Dispatch
import Foundation
import HeraldText

/// Queries many servers concurrently: a server that does not respond does not delay the others.
public enum ServerQuery {
  /// The total timeout of a server, including name resolution.
  static let timeout = Duration.seconds(15)

  /// Runs `body` for each of `servers`, in a thread of its own. The results are in the order of
  /// `servers`; a server without a response after 15 s has `.noAnswer`.
  public static func ask<Answer: Sendable>(
    _ servers: [String], _ body: @escaping @Sendable (String) throws(HostLinkError) -> Answer
  ) -> [Result<Answer, HostLinkError>] {
    ask(servers, timeout: timeout, body)
  }

  static func ask<Answer: Sendable>(
    _ servers: [String], timeout: Duration,
    _ body: @escaping @Sendable (String) throws(HostLinkError) -> Answer
  ) -> [Result<Answer, HostLinkError>] {
    let answers = Responses<Answer>(count: servers.count)
    for (index, server) in servers.enumerated() {
      let thread = Thread {
        do throws(HostLinkError) {
          answers.put(.success(try body(server)), at: index)
        } catch {
          answers.put(.failure(error), at: index)
        }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    return answers.all(by: .after(timeout)).enumerated().map { index, answer in
      answer
        ?? .failure(
          HostLinkError(
            .noAnswer, "the USB/IP server \(PrintableText.of(servers[index])) does not answer",
            advice: "check its name and that it is running"))
    }
  }
}

/// The received responses. A thread whose deadline has passed may still store one.
private final class Responses<Answer: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var answers: [Result<Answer, HostLinkError>?]

  init(count: Int) { answers = Array(repeating: nil, count: count) }

  func put(_ answer: Result<Answer, HostLinkError>, at index: Int) {
    condition.lock()
    answers[index] = answer
    condition.broadcast()
    condition.unlock()
  }

  /// The results when all are complete, or at the deadline.
  func all(by deadline: Deadline) -> [Result<Answer, HostLinkError>?] {
    condition.lock()
    defer { condition.unlock() }
    while answers.contains(where: { $0 == nil }), !deadline.hasPassed {
      let left = Double(deadline.remainingMilliseconds) / 1000
      _ = condition.wait(until: Date().addingTimeInterval(left))
    }
    return answers
  }
}
