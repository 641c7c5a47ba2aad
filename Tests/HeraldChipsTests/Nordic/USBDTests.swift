import HeraldChips
import HeraldDeviceLink
import Testing

@Suite("USBD: the supply and the bus")
struct USBDSupplyTests {
  @Test(
    "shows itself once there is a host, the peripheral is ready, its supply has settled and the crystal runs")
  func powerUp() {
    for chip in [USBDChip.nRF52833, .nRF52840] {
      let bench = USBDBench(chip: chip, isPlugged: false)
      bench.poll()
      #expect(!bench.model.isEnabled && !bench.model.isCrystalRunning)
      bench.model.plug()
      bench.poll()
      #expect(bench.model.isEnabled && bench.model.isCrystalRunning && !bench.model.isVisible)
      bench.model.settle()
      bench.poll()
      #expect(bench.model.isVisible)
      #expect(!bench.model.isInterruptPending, "no sleep would last")
      #expect(bench.model.faults == [])
    }
  }

  @Test("waits for a peripheral that is late to be ready, and for the crystal")
  func late() {
    let bench = USBDBench(isPlugged: false)
    bench.model.plug()
    bench.model.settle()
    bench.model.isCrystalRunning = true
    bench.poll()
    #expect(bench.model.isVisible)
    // The crystal ran before: somebody else needs it.
    bench.model.unplug()
    bench.poll()
    #expect(bench.model.isCrystalRunning && !bench.model.isEnabled)
    #expect(bench.model.trim.values.allSatisfy { $0 == 0 })
    #expect(!bench.model.isTrimUnlocked)
    // Ready only at the second look.
    bench.model.plug()
    bench.model.settle()
    bench.poll()
    #expect(bench.model.isVisible)
    #expect(bench.model.faults == [])
  }

  @Test("leaves trim registers unlocked that it found so")
  func unlocked() {
    let bench = USBDBench(isPlugged: false)
    bench.model.isTrimUnlocked = true
    bench.model.plug()
    bench.model.settle()
    bench.poll()
    #expect(bench.model.isVisible && bench.model.isTrimUnlocked)
    #expect(bench.model.faults == [])
  }

  @Test("stops the crystal and lets go of everything when the cable is pulled with a request in flight")
  func unplugged() {
    let bench = USBDBench()
    bench.configure()
    // The response is in the peripheral; the host never takes it.
    #expect(bench.send([bytes("0A000006 0000 0100 A1 61 64 62 68 69")]))
    #expect(bench.isConfigured)
    bench.model.unplug()
    bench.poll()
    #expect(!bench.isConfigured && !bench.model.isEnabled && !bench.model.isCrystalRunning)
    bench.poll()
    bench.model.plug()
    bench.model.settle()
    bench.poll()
    bench.model.resetBus()
    bench.poll()
    bench.configure()
    #expect(
      bench.exchange(bytes("0A000006 0000 0200 A1 61 64 62 68 69"))
        == bytes("0B000006 0000 0200 A1 61 72 62 68 69"))
    #expect(bench.model.faults == [])
  }

  @Test("sleeps with the bus, moves nothing meanwhile, and wakes up with it")
  func suspended() {
    for chip in [USBDChip.nRF52833, .nRF52840] {
      let bench = USBDBench(chip: chip)
      bench.configure()
      bench.model.suspendBus()
      bench.poll()
      #expect(bench.isSuspended && bench.model.isLowPower)
      bench.poll()
      bench.model.resumeBus()
      bench.poll()
      #expect(!bench.isSuspended && !bench.model.isLowPower)
      #expect(bench.exchange(bytes("0A000006 0000 0100 A1 61 64 62 68 69")) != nil)
      // Both at once: the host went on before anybody looked.
      bench.model.suspendBus()
      bench.model.resumeBus()
      bench.poll()
      #expect(!bench.isSuspended && !bench.model.isLowPower)
      // A reset ends a suspension too.
      bench.model.suspendBus()
      bench.poll()
      bench.model.resetBus()
      bench.poll()
      #expect(!bench.isSuspended && !bench.model.isLowPower && !bench.isConfigured)
      bench.configure()
      #expect(bench.exchange(bytes("0A000006 0000 0100 A1 61 64 62 68 69")) != nil)
      #expect(bench.model.faults == [])
    }
  }

  @Test("comes back after a transfer that does not end")
  func fault() {
    let bench = USBDBench()
    bench.configure()
    bench.model.transferTime = nil
    #expect(bench.control("80 06 0001 0000 1200") == nil)
    bench.model.transferTime = 3
    bench.poll()
    bench.poll()
    #expect(bench.driverFaults == 1)
    #expect(bench.model.isVisible && !bench.isConfigured)
    bench.model.resetBus()
    bench.poll()
    bench.configure()
    #expect(bench.exchange(bytes("0A000006 0000 0100 A1 61 64 62 68 69")) != nil)
  }

  @Test("a reset of the bus in the middle of a transfer is no fault")
  func resetDuringTransfer() {
    let bench = USBDBench()
    bench.configure()
    bench.model.transferTime = nil
    bench.model.onTransfer = { $0.resetBus() }
    #expect(bench.control("80 06 0001 0000 1200") == nil)
    bench.model.onTransfer = nil
    bench.model.transferTime = 3
    bench.poll()
    #expect(bench.driverFaults == 0)
    #expect(!bench.isConfigured)
    bench.configure()
    #expect(bench.exchange(bytes("0A000006 0000 0100 A1 61 64 62 68 69")) != nil)
    #expect(bench.model.faults == [])
  }
}

@Suite("USBD: the device behind it")
struct USBDDeviceTests {
  private let echo = bytes("0A000006 0000 0100 A1 61 64 62 68 69")
  private let echoed = bytes("0B000006 0000 0100 A1 61 72 62 68 69")

  /// An echo that is `count` bytes long as a packet, and its response.
  private func echo(of count: Int, sequence: UInt8 = 1) -> (request: [UInt8], response: [UInt8]) {
    let text = [UInt8](repeating: 0x78, count: count - 13)
    let length = [UInt8((count - 8) >> 8), UInt8((count - 8) & 255)]
    let tail = [0, 0, sequence, 0] as [UInt8]
    return (
      bytes("0A00") + length + tail + bytes("A1 61 64 78") + [UInt8(text.count)] + text,
      bytes("0B00") + length + tail + bytes("A1 61 72 78") + [UInt8(text.count)] + text
    )
  }

  @Test("is enumerated as a host does it, and tells its descriptors byte by byte")
  func enumeration() {
    for chip in [USBDChip.nRF52833, .nRF52840] {
      let bench = USBDBench(chip: chip)
      let device = bytes("12 01 0102 EF 02 01 40 0912 0100 0002 01 02 03 01")
      let configuration = bytes(
        "09 02 6200 03 01 00 80 32  09 04 00 00 02 FF 48 01 04  07 05 01 02 4000 00  07 05 81 02 4000 00"
          + "08 0B 01 02 02 02 00 05  09 04 01 00 01 02 02 00 05"
          + "05 24 00 2001  05 24 01 00 02  04 24 02 02  05 24 06 01 02  07 05 83 03 1000 10"
          + "09 04 02 00 02 0A 00 00 00  07 05 02 02 4000 00  07 05 82 02 4000 00")
      #expect(bench.control("80 06 0001 0000 4000") == device)
      bench.model.resetBus()
      bench.poll()
      #expect(bench.control("00 05 2A00 0000 0000") == [])
      #expect(bench.model.address == 42)
      #expect(bench.control("80 06 0001 0000 1200") == device)
      #expect(bench.control("80 06 000F 0000 3900")?.count == 57)
      #expect(bench.control("80 06 0002 0000 0900") == Array(configuration[..<9]))
      #expect(bench.control("80 06 0002 0000 FF00") == configuration)
      #expect(
        bench.control("80 06 0303 0904 FF00") == bytes("1A03") + "0123456789AB".utf8.flatMap { [$0, 0] })
      #expect(bench.control("80 06 0006 0000 0A00") == nil)
      #expect(bench.control("00 09 0100 0000 0000") == [])
      #expect(bench.isConfigured)
      #expect(bench.control("80 08 0000 0000 0100") == [1])
      // 178 bytes: three packets.
      #expect(bench.control("C0 20 0000 0700 0010")?.count == 178)
      bench.poll()
      #expect(!bench.model.isInterruptPending, "no sleep would last")
      #expect(bench.model.faults == [])
    }
  }

  @Test("echoes SMP packets of every length over the bulk endpoints")
  func smp() {
    let bench = USBDBench()
    bench.configure()
    #expect(bench.exchange(echo) == echoed)
    for count in [63, 64, 65, 127, 128, 129, 192, 250, 256] {
      let (request, response) = echo(of: count)
      #expect(bench.exchange(request) == response, "\(count) bytes")
    }
    #expect(bench.model.faults == [])
  }

  @Test("is a serial port too: line coding, line state and an echo, while the link continues")
  func serialPort() {
    for chip in [USBDChip.nRF52833, .nRF52840] {
      let bench = USBDBench(chip: chip)
      bench.configure()
      #expect(bench.control("21 20 0000 0100 0700", data: bytes("80250000 00 00 08")) == [])
      #expect(bench.control("A1 21 0000 0100 0700") == bytes("80250000 00 00 08"))
      #expect(bench.model.input(0x83) == .nak)
      #expect(bench.control("21 22 0300 0100 0000") == [])
      #expect(bench.model.input(0x83) == .data(0, bytes("A1 20 0000 0100 0200 0300")))
      // An echo of "hi", framed, and its response.
      let frame = Array("\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n".utf8)
      let answer = Array("\u{06}\u{09}ABALAAAGAAABAKFhcmJoaeLw\n".utf8)
      #expect(bench.model.output(0x02, toggle: 0, frame) == .ack)
      bench.poll()
      #expect(bench.exchange(echo) == echoed)
      #expect(bench.model.input(0x82) == .data(0, answer))
      #expect(bench.model.output(0x02, toggle: 1, frame) == .ack)
      bench.poll()
      #expect(bench.model.input(0x82) == .data(1, answer))
      #expect(bench.model.input(0x82) == .nak)
      // Its endpoints halt and begin anew like the others.
      #expect(bench.control("02 03 0000 8300 0000") == [])
      #expect(bench.model.input(0x83) == .stall)
      #expect(bench.control("02 01 0000 8300 0000") == [])
      #expect(bench.control("21 22 0000 0100 0000") == [])
      #expect(bench.model.input(0x83) == .data(0, bytes("A1 20 0000 0100 0200 0000")))
      bench.model.resetBus()
      bench.poll()
      for address in [UInt8(0x82), 0x83] { #expect(bench.model.input(address) == .silence) }
      #expect(bench.model.output(0x02, toggle: 0, frame) == .silence)
      bench.poll()
      #expect(!bench.model.isInterruptPending, "no sleep would last")
      #expect(bench.model.faults == [])
    }
  }

  @Test("holds the host off while two responses wait, and loses nothing")
  func backPressure() {
    let bench = USBDBench()
    bench.configure()
    let all = (1...6).map { echo(of: 50, sequence: $0) }
    var taken = 0
    while taken < all.count, bench.send([all[taken].request]) { taken += 1 }
    // One response is in the peripheral, two packets are in the link, one more waits in the peripheral.
    #expect(taken == 4)
    for index in all.indices {
      #expect(bench.receive() == all[index].response)
      while taken < all.count, bench.send([all[taken].request]) { taken += 1 }
    }
    #expect(bench.model.faults == [])
  }

  @Test("a packet that is repeated because its acknowledgement was lost counts once")
  func repeated() {
    let bench = USBDBench()
    bench.configure()
    #expect(bench.model.output(0x01, toggle: 0, echo) == .ack)
    bench.poll()
    #expect(bench.model.output(0x01, toggle: 0, echo) == .ack)
    bench.poll()
    bench.outToggle = 1
    #expect(bench.receive() == echoed)
    #expect(bench.receive() == nil)
    #expect(bench.model.faults == [])
  }

  @Test("refuses with a stall that the next request ends")
  func stalls() {
    let bench = USBDBench()
    #expect(bench.control("80 06 0006 0000 0A00") == nil)
    #expect(bench.model.input(0x80) == .stall)
    #expect(bench.control("80 06 0001 0000 0800") == bytes("12 01 0102 EF 02 01 40"))
    // Data of a request that is refused is never asked for.
    #expect(bench.control("21 20 0000 0000 0700", data: bytes("00C20100000008")) == nil)
    #expect(bench.control("80 00 0000 0000 0200") == [0, 0])
    #expect(bench.model.faults == [])
  }

  @Test("gives up a response when the host asks for something else")
  func abandoned() {
    let bench = USBDBench()
    #expect(bench.model.setup(bytes("C0 20 0000 0700 0010")) == .ack)
    bench.poll()
    guard case .data(1, _) = bench.model.input(0x80) else {
      Issue.record("no packet")
      return
    }
    #expect(bench.control("80 06 0001 0000 0800") == bytes("12 01 0102 EF 02 01 40"))
    // A request that takes the place of one nobody has looked at.
    #expect(bench.model.setup(bytes("00 09 0100 0000 0000")) == .ack)
    #expect(bench.control("80 08 0000 0000 0100") == [0])
    #expect(bench.model.faults == [])
  }

  @Test("lets a request end while a packet of the link is being moved")
  func statusDuringTransfer() {
    let bench = USBDBench()
    bench.configure()
    #expect(bench.send([echo]))
    #expect(bench.model.setup(bytes("80 08 0000 0000 0100")) == .ack)
    bench.poll()
    // The host takes the one packet of the response just while the next packet of the link is moved.
    #expect(bench.model.output(0x01, toggle: bench.outToggle, echo) == .ack)
    bench.outToggle ^= 1
    bench.model.onTransfer = { model in
      model.onTransfer = nil
      #expect(model.input(0x80) == .data(1, [1]))
    }
    bench.poll()
    #expect(bench.model.output(0, toggle: 1, []) == .ack)
    #expect(bench.receive() == echoed)
    #expect(bench.receive() == echoed)
    #expect(bench.model.faults == [])
  }

  @Test("a request that comes while the one before is read is the one that counts")
  func torn() {
    let bench = USBDBench()
    bench.model.onSetupRead = { model in
      model.onSetupRead = nil
      _ = model.setup(bytes("80 08 0000 0000 0100"))
    }
    #expect(bench.model.setup(bytes("80 06 0001 0000 1200")) == .ack)
    bench.poll()
    #expect(bench.model.input(0x80) == .data(1, [0]))
    #expect(bench.model.faults == [])
  }

  @Test("the end of an abandoned answer does not count for the one that follows")
  func abandonedLate() {
    let bench = USBDBench()
    // What the host takes of the response before is told together with the new request.
    bench.model.onSetupRead = { model in
      model.onSetupRead = nil
      model.events.insert(0x128)
    }
    #expect(bench.control("C0 20 0000 0700 0010")?.count == 178)
    #expect(bench.model.faults == [])
  }

  @Test("halts endpoints; what was in one is gone afterwards, and both ends begin with DATA0")
  func halts() {
    let bench = USBDBench()
    bench.configure()
    // An odd number of packets each way, so that a toggle that is not reset shows; then a response nobody
    // takes.
    #expect(bench.exchange(echo) == echoed)
    #expect(bench.send([echo]))
    #expect(bench.control("02 03 0000 8100 0000") == [])
    #expect(bench.model.input(0x81) == .stall)
    #expect(bench.control("82 00 0000 8100 0200") == [1, 0])
    #expect(bench.control("02 01 0000 8100 0000") == [])
    bench.inToggle = 0
    #expect(bench.model.input(0x81) == .nak)
    #expect(bench.exchange(echo) == echoed)
    #expect(bench.control("02 03 0000 0100 0000") == [])
    #expect(bench.model.output(0x01, toggle: bench.outToggle, echo) == .stall)
    #expect(bench.control("02 01 0000 0100 0000") == [])
    bench.outToggle = 0
    #expect(bench.exchange(echo) == echoed)
    #expect(bench.model.faults == [])
  }

  @Test("a reset of the bus in mid-transfer leaves nothing of it")
  func reset() {
    let bench = USBDBench()
    bench.configure()
    let (request, _) = echo(of: 200)
    // Half a request has come, and a response to the one before waits.
    #expect(bench.send([echo]))
    #expect(bench.send([Array(request[..<64])]))
    bench.model.resetBus()
    bench.poll()
    #expect(!bench.isConfigured)
    #expect(bench.model.output(0x01, toggle: 0, echo) == .silence)
    bench.configure()
    #expect(bench.model.input(0x81) == .nak)
    #expect(bench.exchange(echo) == echoed)
    // Reset and the first request both came while nobody looked.
    bench.model.resetBus()
    #expect(bench.model.setup(bytes("80 06 0001 0000 0800")) == .ack)
    bench.poll()
    #expect(bench.model.input(0x80) == .data(1, bytes("12 01 0102 EF 02 01 40")))
    #expect(bench.model.faults == [])
  }
}
