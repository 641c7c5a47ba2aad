import Dispatch
import HeraldHostLink
import Synchronization

/// Applies a function to the elements of an array on all processors, and returns the results in order.
/// - Throws: the error of the first element that has one.
func parallelMap<Element: Sendable, Output: Sendable>(
  _ elements: [Element], _ transform: @Sendable (Element) throws(HostLinkError) -> Output
) throws(HostLinkError) -> [Output] {
  let results = Mutex<[Int: Result<Output, HostLinkError>]>([:])
  DispatchQueue.concurrentPerform(iterations: elements.count) { index in
    let result: Result<Output, HostLinkError>
    do throws(HostLinkError) { result = .success(try transform(elements[index])) } catch {
      result = .failure(error)
    }
    results.withLock { $0[index] = result }
  }
  let found = results.withLock { $0 }
  var outputs: [Output] = []
  for index in elements.indices {
    if let result = found[index] { outputs.append(try result.get()) }
  }
  return outputs
}
