import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldHostLink
import HeraldSimulation

/// herald-host's end of a simulated bus, with a device at the other: the link's memory is `memory` bytes for
/// `depth` packets.
final class FrameTransport<let memory: Int, let depth: Int>: SMPTransport {
  typealias Device = ManagedNode<
    HCIRadio<SimulatedController, 4>,
    ManagedPartList<
      MemoryFlash, DeviceBenchmark.Xorshift, FixedPayloadSupplier, NoDelegate, HeraldGATTTable,
      Board
    >, 4, 4, 4
  >

  struct Board: ManagedBoard, ~Copyable {
    var settings = SettingsStore(flash: MemoryFlash(pageSize: 1024, pageCount: 2, wordSize: 8))
    mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
    mutating func restart(at now: Instant) {}
  }

  let location = "frames"
  /// As many as over libusb.
  let window = 8
  let damagedPackets = 0
  let bus = FrameBus()
  private var usb: USBDevice<FrameBus.Controller, memory, depth>
  private var server = SMPServer()
  private var device: Device
  private let readsQueued = 4

  /// With `key` it is locked; else it stays open.
  init(log image: FlashImage, key: [UInt8] = []) {
    usb = USBDevice(controller: FrameBus.Controller(bus: bus), serialNumber: InlineBytes())
    device = ManagedNode(
      radio: HCIRadio(transport: SimulatedController()), flash: MemoryFlash(image),
      random: DeviceBenchmark.Xorshift(state: 1),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1), delegate: NoDelegate(),
      board: Board())
    device.takeSettings(at: .start)
    if key.isEmpty {
      _ = device.keep(.stayOpen, value: 1, at: .start)
    } else {
      _ = device.keepAccessKey(key.span)
    }
    device.node.core.openLog(at: .start, startReason: 0)
    bus.reads = readsQueued
  }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    bus.write(packet)
    if packet.count % 64 == 0 { bus.write([]) }
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    for _ in 0..<1000 {
      if let transfer = bus.takeFinished() {
        bus.reads += 1
        if !transfer.isEmpty { return transfer }
        continue
      }
      bus.runFrame {
        // Long enough after its start that the device looks at proofs.
        let now = Instant(milliseconds: 10_000 + UInt64(bus.frames))
        _ = usb.poll(at: now, server: &server, device: &device)
      }
    }
    return nil
  }

  func close() {}
}
