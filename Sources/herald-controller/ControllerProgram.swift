import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldLinux

/// A controller on a simulated phy, with a host in real time.
///
/// Simulated time stands during `pollHost`, which is called every simulated millisecond. When bytes have been
/// exchanged, it waits until the host has been silent for `silence`: to the simulation the host seems
/// infinitely fast, and no time passes in which it could have sent a command.
final class ControllerProgram: PhyProgram {
  /// The time in milliseconds after which a host that has received an event is assumed to wait for the next.
  private static let silence: Int32 = 3

  private var controller: HCIController<PhyRadio, SystemRandom, 4>
  private let stream: HostStream
  /// Bytes from the host that the controller has not accepted yet.
  private var input: [UInt8] = []

  init(
    _ stream: consuming HostStream, radio: consuming PhyRadio, random: consuming SystemRandom,
    address: DeviceAddress, seed: UInt32
  ) {
    self.stream = stream
    controller = HCIController(radio: radio, random: random, address: address, seed: seed)
  }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }
  func procedures() { controller.procedures() }

  func pollHost() -> Bool {
    var wait: Int32 = 0
    while true {
      let output = exchange()
      if !output.isEmpty {
        guard stream.write(output) else { return false }
        wait = Self.silence
      }
      guard let received = stream.read(within: wait) else { return false }
      if received.isEmpty { return true }
      input += received
      wait = Self.silence
    }
  }

  /// Gives the controller the bytes from the host and returns those for it.
  private func exchange() -> [UInt8] {
    var output: [UInt8] = []
    while true {
      let accepted = controller.receive(input.span)
      input.removeFirst(accepted)
      let packet = nextPacket()
      output += packet
      if accepted == 0, packet.isEmpty { return output }
    }
  }

  private func nextPacket() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
      buffer.initialize(repeating: 0)
      var writer = ByteWriter(MutableSpan(_unsafeElements: buffer))
      count = controller.takePacket(into: &writer) ? writer.count : 0
    }
  }
}
