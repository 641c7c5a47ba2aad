import Foundation
import Synchronization

/// The sessions that this process has with devices, for who ends the process before the commands that opened
/// them are done.
public enum OpenSessions {
  /// A client, which is used only by the thread whose turn it is.
  private struct Entry: @unchecked Sendable {
    weak var client: SMPClient?
  }

  private static let entries = Mutex<[Entry]>([])

  /// How long whoever uses a link is waited for. Together with the half second that `SMPClient.closeSession`
  /// waits for an answer it is one second.
  private static let timeout: TimeInterval = 0.5

  /// Notes a client that is about to open a session.
  static func add(_ client: SMPClient) {
    let entry = Entry(client: client)
    entries.withLock { entries in
      entries.removeAll { $0.client == nil || $0.client === client }
      entries.append(entry)
    }
  }

  /// Tells all devices at the same time that their sessions are over, and takes a second at most. Only for
  /// the end of the process: no other thread can use these links any more.
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
