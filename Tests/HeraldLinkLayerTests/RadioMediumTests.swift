import HeraldHAL
import HeraldSimulation
import Testing

/// Milliseconds of the medium's time, in nanoseconds.
func milliseconds(_ count: Int) -> Int { count * 1_000_000 }

@Suite("RadioMedium")
struct RadioMediumTests {
  let medium = RadioMedium(seed: 1)

  /// The result of a receiver that starts this number of microseconds after the sender's first bit.
  private func heard(opening late: Int, window: UInt32 = 500, change: (RawDevice) -> Void = { _ in })
    -> RawDevice
  {
    let sender = RawDevice(medium, 0)
    let receiver = RawDevice(medium, 1)
    sender.transmit([2, 3, 7, 8, 9], at: sender.now + 5000)
    receiver.receive(from: receiver.now + UInt32(5000 + late), window: window)
    medium.run(until: milliseconds(20))
    return receiver
  }

  @Test("A packet is received if its first bit arrives at or after the start of the receiver")
  func first() {
    let receiver = heard(opening: 0)
    #expect(receiver.heard == [[2, 3, 7, 8, 9]])
    // Preamble, access address, header, payload and CRC: 13 bytes of 8 µs.
    #expect(receiver.outcomes[0].end.since(receiver.outcomes[0].start) == 104)
  }

  @Test("A receiver that starts one microsecond late receives no packet")
  func late() {
    let receiver = heard(opening: 1)
    #expect(receiver.outcomes.map(\.kind) == [.silent] && receiver.heard == [[]])
  }

  @Test("The access address must have arrived within the window", arguments: [(40, true), (39, false)])
  func window(length: UInt32, isHeard: Bool) {
    #expect(heard(opening: 0, window: length).outcomes.map(\.kind) == [isHeard ? .received : .silent])
  }

  @Test("A packet with another channel, access address or CRCInit is not received")
  func others() {
    let sender = RawDevice(medium, 0)
    let others = (1...3).map { RawDevice(medium, $0) }
    sender.transmit([2, 0], at: sender.now + 5000)
    others[0].receive(from: others[0].now + 4000, window: 2000, channel: 38)
    others[1].receive(from: others[1].now + 4000, window: 2000, address: 0x5065_5DA3)
    others[2].receive(from: others[2].now + 4000, window: 2000, crc: 1)
    medium.run(until: milliseconds(20))
    #expect(others.map { $0.outcomes.map(\.kind) } == [[.silent], [.silent], [.damaged]])
  }

  @Test("A response begins 150 µs after the end of the previous packet and is received")
  func answer() {
    let asking = RawDevice(medium, 0)
    let answering = RawDevice(medium, 1, deviation: 500)
    asking.next = { _, outcome in outcome.kind == .sent ? .receiveAfterSpace : .stop }
    answering.next = { device, outcome in
      guard outcome.kind == .received else { return .stop }
      device.radio.load([4, 1, 0xAB])
      return .transmitAfterSpace
    }
    asking.transmit([3, 0], at: asking.now + 5000)
    answering.receive(from: answering.now + 4000, window: 5000)
    medium.run(until: milliseconds(20))
    #expect(asking.outcomes.map(\.kind) == [.sent, .received] && asking.heard[1] == [4, 1, 0xAB])
    #expect(medium.transmissions[1].start - medium.transmissions[0].end == 150_000)
  }

  @Test("A receiver continues to the end of its window after the step receiveAgain")
  func again() {
    let sender = RawDevice(medium, 0)
    let receiver = RawDevice(medium, 1)
    for count in 0..<3 {
      medium.at(milliseconds(5 + 5 * count)) { sender.transmit([2, 0], at: sender.now + 1000) }
    }
    receiver.next = { _, outcome in outcome.kind == .received ? .receiveAgain : .stop }
    receiver.receive(from: receiver.now + 1000, window: 14_000)
    medium.run(until: milliseconds(30))
    #expect(receiver.outcomes.map(\.kind) == [.received, .received, .silent])
  }

  @Test("An operation whose start is too near is late and transmits no packet")
  func tooNear() {
    let sender = RawDevice(medium, 0)
    sender.transmit([2, 0], at: sender.now + (MediumRadio.leadTime - 1))
    medium.run(until: milliseconds(5))
    #expect(sender.outcomes.map(\.kind) == [.late] && medium.transmissions.isEmpty)
  }

  @Test("An operation can be cancelled until a packet is on the air")
  func cancelling() {
    let sender = RawDevice(medium, 0)
    let receiver = RawDevice(medium, 1)
    receiver.receive(from: receiver.now + 1000, window: 10_000)
    medium.run(until: milliseconds(2))
    #expect(receiver.cancel())
    receiver.receive(from: receiver.now + 1000, window: 10_000)
    sender.transmit([2, 0], at: sender.now + 2000)
    medium.run(until: milliseconds(4) + 50_000)
    #expect(!receiver.cancel() && !sender.cancel())
    medium.run(until: milliseconds(10))
    #expect(receiver.outcomes.map(\.kind) == [.received] && sender.outcomes.map(\.kind) == [.sent])
    // No operation is left.
    #expect(!receiver.cancel() && !sender.cancel())
  }

  @Test("Clocks drift", arguments: [-500, -20, 0, 20, 500])
  func drift(deviation: Int) {
    let sender = RawDevice(medium, 0, deviation: deviation)
    let start = sender.now
    sender.transmit([2, 0], at: start + 1_000_000)
    medium.run(until: milliseconds(2000))
    let error = medium.transmissions[0].start - 1_000_000_000 + 1000 * deviation
    // A second of a clock that is 500 ppm fast is 500 µs shorter.
    #expect(abs(error) <= 2000)
    #expect(abs(Int(sender.now.since(start)) - 2_000_000 - 2 * deviation) <= 1)
  }

  @Test("Overlapping packets damage each other if collisions are enabled")
  func collision() {
    medium.trouble.collides = true
    let senders = [RawDevice(medium, 0), RawDevice(medium, 1)]
    let receiver = RawDevice(medium, 2)
    senders[0].transmit([2, 0], at: senders[0].now + 2000)
    senders[1].transmit([2, 0], at: senders[1].now + 2050)
    receiver.receive(from: receiver.now + 1500, window: 2000)
    medium.run(until: milliseconds(10))
    #expect(receiver.outcomes.map(\.kind) == [.damaged])
  }

  @Test("Packet loss and late operations have the configured rates and are reproducible by the seed")
  func trouble() {
    func outcomes() -> [RadioOutcome.Kind] {
      let medium = RadioMedium(seed: 7)
      medium.trouble.loss = 30_000
      medium.trouble.lateness = 10_000
      let sender = RawDevice(medium, 0)
      let receiver = RawDevice(medium, 1)
      for count in 0..<1000 {
        medium.at(milliseconds(5 * count)) {
          sender.transmit([2, 0], at: sender.now + 1000)
          receiver.receive(from: receiver.now + 900, window: 500)
        }
      }
      medium.run(until: milliseconds(6000))
      return receiver.outcomes.map(\.kind)
    }
    let once = outcomes()
    #expect(once == outcomes() && once.count == 1000)
    let counts = [RadioOutcome.Kind.late, .damaged, .silent, .received].map { kind in
      once.filter { $0 == kind }.count
    }
    // 10 % are late; of the rest 10 % have no sender, and of the packets then on the air 30 % are lost, half
    // of them undetected.
    #expect((70...130).contains(counts[0]) && (90...150).contains(counts[1]))
    #expect((170...250).contains(counts[2]) && (510...620).contains(counts[3]))
  }

  @Test("Times overflow")
  func times() {
    let end = RadioTime(microseconds: .max)
    #expect(end.isBefore(end + 1) && !(end + 1).isBefore(end) && !end.isBefore(end))
    #expect((end + 10).since(end) == 10 && end.since(end + 10) == 0 && (end + 10) - 10 == end)
  }
}
