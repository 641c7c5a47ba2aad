import HeraldHAL
import Testing

@testable import HeraldLinux

@Suite("USB controller without hardware")
struct VirtualUSBControllerTests {
  private static let input = USBEndpoint(rawValue: 0x81)

  /// Asks for `limit` bytes of endpoint 1.
  private func ask(_ controller: inout VirtualUSBController, _ sequence: UInt32, limit: Int) {
    controller.submit(
      VirtualUSBController.Transfer(sequence: sequence, endpoint: Self.input, limit: limit, data: []))
  }

  @Test("What waits is counted until it completes or is cancelled")
  func waiting() {
    var controller = VirtualUSBController()
    controller.attach()
    controller.open(Self.input, .bulk)
    ask(&controller, 1, limit: 512)
    ask(&controller, 2, limit: 64)
    ask(&controller, 3, limit: 100)
    var waiting = [controller.waitingBytes, controller.waitingCount]
    #expect(waiting == [676, 3])
    let isCancelled = controller.cancel(2)
    waiting = [controller.waitingBytes, controller.waitingCount]
    #expect(isCancelled && waiting == [612, 2])
    let packet: [UInt8] = [1, 2, 3]
    let isTaken = controller.write(Self.input, packet.span)
    waiting = [controller.waitingBytes, controller.waitingCount]
    #expect(isTaken && waiting == [100, 1])
    controller.close(Self.input)
    waiting = [controller.waitingBytes, controller.waitingCount]
    #expect(waiting == [0, 0])
    let completions = controller.takeCompletions()
    #expect(completions.map(\.sequence) == [1, 3] && completions.map(\.status) == [0, -108])
    #expect(completions[0].data == [1, 2, 3])
  }
}
