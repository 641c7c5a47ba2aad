import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldLinux

/// A controller, and the packets that it exchanges with its host.
final class RunningController {
  private var controller: HCIController<PhyRadio, SystemRandom, 4>
  /// Bytes from the host that the controller has not accepted yet.
  private var input: [UInt8] = []

  init(
    radio: consuming PhyRadio, random: consuming SystemRandom, address: DeviceAddress, seed: UInt32
  ) {
    controller = HCIController(radio: radio, random: random, address: address, seed: seed)
  }

  /// The public device address.
  var address: DeviceAddress {
    get { controller.address }
    set { controller.address = newValue }
  }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }
  func procedures() { controller.procedures() }

  /// Gives the controller bytes from the host, and returns the packets for it.
  func exchange(_ bytes: [UInt8] = []) -> [[UInt8]] {
    input += bytes
    var packets: [[UInt8]] = []
    while true {
      let accepted = controller.receive(input.span)
      input.removeFirst(accepted)
      let packet = nextPacket()
      if !packet.isEmpty { packets.append(packet) }
      if accepted == 0, packet.isEmpty { return packets }
    }
  }

  /// Exchanges packets with a host on USB. Returns whether there were any.
  func serve(_ usb: inout USBIPController) -> Bool { usb.serve(&controller) }

  private func nextPacket() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
      buffer.initialize(repeating: 0)
      var writer = ByteWriter(MutableSpan(_unsafeElements: buffer))
      count = controller.takePacket(into: &writer) ? writer.count : 0
    }
  }
}
