import Foundation
import HeraldText

/// A device that is connected, as long as it is.
public struct DeviceLocation: Equatable, Sendable {
  /// How it is opened.
  public let selector: DeviceSelector
  /// A text for this connection: after the device was disconnected and connected again, USB has another one.
  public let instance: String

  /// Initialises each member.
  public init(selector: DeviceSelector, instance: String) {
    self.selector = selector
    self.instance = instance
  }
}

/// Watches which devices are connected to this computer and exported by USB/IP servers. Each has a thread of
/// its own, so that a server that does not respond delays no other. Thread-safe.
public final class DeviceWatch: @unchecked Sendable {
  /// What is known at a time.
  public struct Presence: Sendable {
    /// A number that grows with each change.
    public let version: Int
    /// The devices.
    public let locations: [DeviceLocation]
    /// The servers that did not return their list, and the reasons.
    public let failures: [(location: String, error: HostLinkError)]
    /// Whether each source was read at least once.
    public let isComplete: Bool
  }

  private struct Source {
    let location: String
    var locations: [DeviceLocation] = []
    var error: HostLinkError?
    var isRead = false
  }

  /// The time between two requests to a server, in seconds.
  static let serverPeriod = 1.0
  /// The maximum number of devices of a source.
  static let mostDevices = 4096

  private let condition = MonotonicCondition()
  private var sources: [Source] = []
  private var version = 0
  private var isOver = false

  /// Starts to watch USB, if `usesUSB`, and servers in the form `HOST` or `HOST:PORT`.
  /// - Throws: `.usage` for a server that is none, `.link` if this computer has no USB and there is no
  ///   server.
  public init(usesUSB: Bool = true, servers: [String]) throws(HostLinkError) {
    for server in servers { _ = try DeviceDirectory.address(of: server) }
    if usesUSB { try watchUSB(isOptional: !servers.isEmpty) }
    for server in servers { watch(server) }
  }

  private func watchUSB(isOptional: Bool) throws(HostLinkError) {
    do {
      // The library is used by the thread that opens it: this only finds out whether there is one.
      _ = try LibUSB()
    } catch {
      if isOptional { return }
      throw error
    }
    let index = add("usb")
    let thread = Thread { [self] in
      do throws(HostLinkError) {
        let arrivals = try USBArrivals()
        while !hasEnded {
          publish(.success(arrivals.locations), at: index)
          arrivals.wait()
        }
      } catch {
        publish(.failure(error), at: index)
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  private func watch(_ server: String) {
    let index = add("usbip://\(PrintableText.of(server))")
    let thread = Thread { [self] in
      while !hasEnded {
        do throws(HostLinkError) {
          let found = try DeviceDirectory.usbipSelectors(server: server)
          publish(
            .success(found.map { DeviceLocation(selector: $0, instance: $0.text) }), at: index)
        } catch {
          publish(.failure(error), at: index)
        }
        Thread.sleep(forTimeInterval: Self.serverPeriod)
      }
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  private func add(_ location: String) -> Int {
    condition.withLock {
      sources.append(Source(location: location))
      return sources.count - 1
    }
  }

  private var hasEnded: Bool { condition.withLock { isOver } }

  private func publish(_ answer: Result<[DeviceLocation], HostLinkError>, at index: Int) {
    condition.withLock {
      var source = sources[index]
      source.isRead = true
      switch answer {
      case .success(let locations):
        source.locations = Array(locations.prefix(Self.mostDevices))
        source.error = nil
      case .failure(let error):
        // A server that is late may still have its devices.
        if error.cause != .noAnswer { source.locations = [] }
        source.error = error
      }
      let former = sources[index]
      sources[index] = source
      guard !former.isRead || former.locations != source.locations || former.error != source.error else {
        return
      }
      version += 1
      condition.broadcast()
    }
  }

  /// Ends a wait in `next`.
  public func wake() { condition.withLock { condition.broadcast() } }

  /// Ends the threads, each after what it waits for.
  public func end() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  /// The devices, as soon as they differ from those of `version`, `wake` is called, or at `limit`.
  public func next(after version: Int, by limit: Deadline) -> Presence {
    condition.lock()
    defer { condition.unlock() }
    if self.version == version { _ = condition.wait(until: limit) }
    return Presence(
      version: self.version, locations: sources.flatMap(\.locations),
      failures: sources.compactMap { source in source.error.map { (source.location, $0) } },
      isComplete: sources.allSatisfy(\.isRead))
  }
}
