import Dispatch
import Synchronization

/// Applies a function to the elements of an array on all processors, and returns the results in order.
func parallelMap<Element: Sendable, Result: Sendable>(
  _ elements: [Element], _ transform: @Sendable (Element) -> Result
) -> [Result] {
  let results = Mutex<[Int: Result]>([:])
  DispatchQueue.concurrentPerform(iterations: elements.count) { index in
    let result = transform(elements[index])
    results.withLock { $0[index] = result }
  }
  return results.withLock { results in elements.indices.compactMap { results[$0] } }
}
