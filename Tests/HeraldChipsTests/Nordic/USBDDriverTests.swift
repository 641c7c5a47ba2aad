import HeraldChips
import HeraldDeviceLink
import HeraldHAL
import Testing

/// The driver alone: what the device behind it does not use yet, and what it must not be able to do wrong.
@Suite("USBD: the driver alone")
struct USBDDriverTests {
  private let interruptIn = USBEndpoint(rawValue: 0x82)

  @Test("takes the data of a request when somebody wants it, packet by packet")
  func controlOut() {
    let usb = USBDDriver()
    let model = usb.model
    // SET_LINE_CODING of CDC, 7 bytes.
    let coding = bytes("00C20100000008")
    #expect(model.setup(bytes("21 20 0000 0000 0700")) == .ack)
    #expect(
      usb.nextEvent() == .setup(USBSetup(requestType: 0x21, request: 0x20, value: 0, index: 0, length: 7)))
    #expect(model.output(0, toggle: 1, coding) == .nak)
    #expect(usb.read(.control) == nil)
    #expect(model.output(0, toggle: 1, coding) == .ack)
    #expect(usb.read(.control) == coding)
    #expect(usb.read(.control) == nil)
    usb.acknowledge()
    #expect(model.input(0x80) == .data(1, []))
    // 65 bytes: two packets.
    #expect(model.setup(bytes("21 20 0000 0000 4100")) == .ack)
    _ = usb.nextEvent()
    let first = [UInt8](0..<64)
    #expect(usb.read(.control) == nil)
    #expect(model.output(0, toggle: 1, first) == .ack)
    #expect(usb.read(.control) == first)
    #expect(model.output(0, toggle: 0, [64]) == .nak)
    #expect(usb.read(.control) == nil)
    #expect(model.output(0, toggle: 0, [64]) == .ack)
    #expect(usb.read(.control) == [64])
    usb.acknowledge()
    #expect(model.input(0x80) == .data(1, []))
    #expect(model.faults == [])
  }

  @Test("serves an interrupt endpoint beside the bulk ones")
  func interrupt() {
    let usb = USBDDriver()
    let model = usb.model
    usb.open(.linkIn, .bulk)
    usb.open(interruptIn, .interrupt)
    let first: [UInt8] = [0xA1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0]
    #expect(usb.write(interruptIn, first))
    #expect(!usb.write(interruptIn, first))
    #expect(usb.write(.linkIn, first))
    #expect(model.input(0x82) == .data(0, first))
    #expect(usb.write(interruptIn, []))
    #expect(model.input(0x82) == .data(1, []))
    usb.close(.linkIn)
    #expect(model.input(0x81) == .silence)
    #expect(usb.write(interruptIn, first))
    #expect(model.input(0x82) == .data(0, first))
    #expect(model.faults == [])
  }

  @Test("refuses what the peripheral does not have, and what no host asked for")
  func refuses() {
    let usb = USBDDriver()
    let model = usb.model
    let packet = [UInt8](repeating: 1, count: 8)
    #expect(!usb.write(.control, packet))
    #expect(!usb.write(.linkIn, packet))
    #expect(!usb.write(USBEndpoint(rawValue: 0x88), packet))
    #expect(!usb.write(USBEndpoint(rawValue: 0x01), packet))
    #expect(usb.read(.control) == nil)
    #expect(usb.read(.linkOut) == nil)
    usb.acknowledge()
    usb.refuse()
    for address in [UInt8(0x88), 0x8F, 0x08, 0x80, 0x00] {
      usb.open(USBEndpoint(rawValue: address), .bulk)
      usb.setHalted(USBEndpoint(rawValue: address), true)
      usb.close(USBEndpoint(rawValue: address))
    }
    // A request for six bytes gets no eight.
    #expect(model.setup(bytes("80 06 0001 0000 0600")) == .ack)
    _ = usb.nextEvent()
    #expect(!usb.write(.control, packet))
    #expect(usb.write(.control, [UInt8](packet[..<6])))
    #expect(!usb.write(.control, [UInt8](packet[..<6])))
    #expect(model.input(0x80) == .data(1, [UInt8](packet[..<6])))
    #expect(model.faults == [])
  }

  @Test("does nothing to a peripheral without power")
  func off() {
    let usb = USBDDriver(isPlugged: false)
    let model = usb.model
    #expect(usb.nextEvent() == nil)
    usb.open(.linkIn, .bulk)
    #expect(!usb.write(.linkIn, [UInt8](repeating: 1, count: 8)))
    usb.setHalted(.linkIn, true)
    usb.acknowledge()
    #expect(model.faults == [] && model.timesEnabled == 0)
  }

  @Test("the model notices a buffer that is not in RAM")
  func flash() {
    let elsewhere = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 4)
    defer { elsewhere.deallocate() }
    let usb = USBDDriver(buffer: elsewhere)
    usb.open(.linkIn, .bulk)
    #expect(!usb.write(.linkIn, [UInt8](repeating: 1, count: 8)))
    #expect(usb.model.faults == ["transfer outside RAM"])
  }

  @Test(
    "the crystal is stopped when the cable is removed, unless another driver does that",
    arguments: [false, true])
  func sharedCrystal(leavesOn: Bool) {
    let driver = USBDDriver(isPlugged: false)
    if leavesOn { driver.leaveCrystalOn() }
    driver.model.plug()
    driver.model.settle()
    _ = driver.nextEvent()
    #expect(driver.model.isCrystalRunning)
    driver.model.unplug()
    _ = driver.nextEvent()
    #expect(driver.model.isCrystalRunning == leavesOn)
    #expect(driver.model.faults == [])
  }
}
