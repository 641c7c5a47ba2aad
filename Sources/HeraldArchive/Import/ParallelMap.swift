import Dispatch
import HeraldHostLink
import Synchronization

/// Applies a function to the elements of an array on all processors. `take` gets the results on the calling
/// thread and in order, each as soon as it is there: what stores them works at the same time.
/// - Throws: the error of the first element that has one, or that of `take`; the elements that are not begun
///   by then are left out.
func parallelMap<Element: Sendable, Output: Sendable>(
  _ elements: [Element], _ transform: @Sendable (Element) throws(HostLinkError) -> Output,
  taking take: (Output) throws(HostLinkError) -> Void
) throws(HostLinkError) {
  let results = ParallelResults<Output>()
  let work = DispatchGroup()
  try withoutActuallyEscaping(transform) { transform throws(HostLinkError) in
    DispatchQueue.global().async(group: work) {
      DispatchQueue.concurrentPerform(iterations: elements.count) { index in
        guard !results.isOver else { return }
        do throws(HostLinkError) { results.put(.success(try transform(elements[index])), at: index) } catch {
          results.put(.failure(error), at: index)
        }
      }
    }
    defer {
      results.end()
      work.wait()
    }
    for index in elements.indices { try take(try results.wait(for: index).get()) }
  }
}

/// The results of a computation on several threads that have not been taken.
private final class ParallelResults<Output: Sendable>: Sendable {
  private struct State {
    var results: [Int: Result<Output, HostLinkError>] = [:]
    var isOver = false
  }

  private let state = Mutex(State())
  /// Is signalled for each result.
  private let arrival = DispatchSemaphore(value: 0)

  /// Whether no further results are taken.
  var isOver: Bool { state.withLock { $0.isOver } }

  func put(_ result: sending Result<Output, HostLinkError>, at index: Int) {
    state.withLock { $0.results[index] = result }
    arrival.signal()
  }

  /// Takes the result of an element, which is or will be computed.
  func wait(for index: Int) -> Result<Output, HostLinkError> {
    while true {
      if let result = state.withLock({ $0.results.removeValue(forKey: index) }) { return result }
      arrival.wait()
    }
  }

  func end() { state.withLock { $0.isOver = true } }
}
