import HeraldLinux

/// A controller on a simulated phy, with a host in real time.
///
/// Simulated time stands during `pollHost`, which is called every simulated millisecond. When bytes have been
/// exchanged, it waits until the host has been silent for `silence`: to the simulation the host seems
/// infinitely fast, and no time passes in which it could have sent a command.
final class ControllerProgram: PhyProgram {
  /// The time in milliseconds after which a host that has received an event is assumed to wait for the next.
  private static let silence: Int32 = 3

  private let controller: RunningController
  private let stream: HostStream

  init(_ controller: RunningController, _ stream: consuming HostStream) {
    self.controller = controller
    self.stream = stream
  }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }
  func procedures() { controller.procedures() }

  func pollHost() -> Bool {
    var wait: Int32 = 0
    var received: [UInt8] = []
    while true {
      let output = controller.exchange(received).flatMap { $0 }
      if !output.isEmpty {
        guard stream.write(output) else { return false }
        wait = Self.silence
      }
      guard let next = stream.read(within: wait) else { return false }
      if next.isEmpty { return true }
      received = next
      wait = Self.silence
    }
  }
}
