import HeraldBluetooth
import HeraldChips
import HeraldHAL
import HeraldLinkLayer
import NRF52Boards

/// The link layer of the board as a controller that speaks HCI, with four connections.
typealias NRF52HCIController = HCIController<OwnRadioPeripheral, NRF52Random, 4>

/// A Bluetooth controller on the USB of the board.
public struct NRF52USBController: ~Copyable {
  private let hci: UnsafeMutablePointer<NRF52HCIController>
  private var usb: HCIUSBDevice<USBD<MappedRegisters>>
  private var procedures = SWIHold()
  /// The number of exchanges in a call of `poll`, which is repeated after the watchdog was fed.
  private static var rounds: Int { 64 }

  init(_ hci: UnsafeMutablePointer<NRF52HCIController>, _ usb: consuming HCIUSBDevice<USBD<MappedRegisters>>)
  {
    unsafe self.hci = unsafe hci
    self.usb = usb
  }

  /// Whether a host has selected the configuration.
  public var isConfigured: Bool { usb.isConfigured }

  /// Exchanges packets between the host and the controller. Returns whether there are more.
  @inline(never)
  public mutating func poll() -> Bool {
    for _ in 0..<Self.rounds {
      procedures.hold()
      let hasMore = unsafe usb.poll(&hci.pointee)
      procedures.release()
      guard hasMore else { return false }
    }
    return true
  }
}

/// A function that does not exist: an image whose controller is larger than its memory cannot be linked
/// (`startLinkLayer`).
@_silgen_name("linkLayerMemory_is_too_small")
private func controllerMemoryIsTooSmall() -> Never

extension NRF52Board where Bluetooth == NRF52OwnRadio {
  /// The radio of the chip as a controller on USB, switched on. To be called once, when the board has been
  /// made.
  public static func makeController() -> NRF52USBController {
    // Both sizes are known to the compiler, which removes the call where the controller fits.
    guard MemoryLayout<NRF52HCIController>.size <= MemoryLayout.size(ofValue: linkLayerMemory) else {
      controllerMemoryIsTooSmall()
    }
    let radio = makeRadio()
    let hci = unsafe HCIControllerMemory.complete(radio.layer, random: random(), address: publicAddress())
    return unsafe NRF52USBController(hci, HCIUSBDevice(usb: usb(), serialNumber: serialNumber()))
  }

  /// The public device address of the chip; `zero` if it has none, as usual.
  private static func publicAddress() -> DeviceAddress {
    var factory = NRF.FactoryInformation(FixedRegisters<0x100000>())
    guard let address = factory.publicAddress() else { return .zero }
    return DeviceAddress(high: UInt16(truncatingIfNeeded: address.high), low: address.low, kind: .public)
  }
}
