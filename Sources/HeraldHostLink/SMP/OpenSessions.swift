import Foundation
import Synchronization

/// The open sessions of this process, so that they can be closed when the process is terminated early.
public enum OpenSessions {
  /// A client; used only by the thread that holds the link.
  private struct Entry: @unchecked Sendable {
    weak var client: SMPClient?
  }

  private static let entries = Mutex<[Entry]>([])

  /// The maximum wait for the holder of a link. With the half second that `SMPClient.closeSession` waits for
  /// a response, the total is one second.
  private static let timeout: TimeInterval = 0.5

  /// Registers a client that is about to open a session.
  static func add(_ client: SMPClient) {
    let entry = Entry(client: client)
    entries.withLock { entries in
      entries.removeAll { $0.client == nil || $0.client === client }
      entries.append(entry)
    }
  }

  /// Closes the sessions with all devices concurrently, within one second. For the end of the process only:
  /// afterwards no other thread can use these links.
  public static func endAll() {
    let group = DispatchGroup()
    for entry in entries.withLock({ $0 }) where entry.client != nil {
      group.enter()
      Thread {
        entry.client?.endForGood(within: timeout)
        group.leave()
      }.start()
    }
    group.wait()
  }
}
