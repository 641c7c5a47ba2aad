import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

/// A peripheral whose host always has something to send.
@Suite("Bulk transfer")
struct BulkTransferTests {
  let medium = RadioMedium(seed: 5)

  /// Connects both at an interval of 30 ms, and lets the device send this number of payloads.
  private func pair(payloads: Int) throws -> (LinkLayerDevice, ScriptedCentral) {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    central.exchanges = 100
    var next = 0
    device.told = { device, event in
      while next < payloads,
        (try? device.send([UInt8(next & 0xFF), 9] + [UInt8](repeating: 8, count: 25))) != nil
      {
        next += 1
      }
    }
    try device.advertise(every: 100)
    central.connect()
    return (device, central)
  }

  @Test("A host that refills the queue during an event fills the event")
  func event() throws {
    let (_, central) = try pair(payloads: 400)
    medium.run(until: milliseconds(1500))
    let expected = (0..<400).map { (count: Int) -> UInt8 in UInt8(truncatingIfNeeded: count) }
    #expect(central.got.map { $0.payload[0] } == expected)
    let events = Dictionary(grouping: central.got, by: \.event).mapValues(\.count)
    // 44 payloads with their acknowledgements take 29.7 ms.
    #expect((38...43).contains(try #require(events.values.max())))
    #expect(Transcript(medium).dataAnswers.allSatisfy { $0 == 0 })
  }

  @Test("Received payloads that the host takes during an event make room for others")
  func reception() throws {
    let (device, central) = try pair(payloads: 0)
    central.queue = (0..<40).map { (2, [UInt8($0), 1, 2, 3]) }
    medium.run(until: milliseconds(400))
    #expect(device.payloads.map { $0.bytes[0] } == Array(0..<40))
    let starts = Transcript(medium).data(1).filter { $0.pdu[1] == 4 }.map(\.start)
    // All in one event, without a retransmission.
    #expect(starts.count == 40 && starts[39] - starts[0] < milliseconds(30))
  }

  @Test("Advertising goes on at its interval, and events leave the scan window free")
  func others() throws {
    let (device, central) = try pair(payloads: .max)
    medium.run(until: milliseconds(200))
    try device.advertise(.scannable, every: 100)
    try device.scan(every: 300, for: 60)
    let before = device.layer.counters.microseconds(.receiving, .scanner)
    medium.run(until: milliseconds(3200))
    let packets = Transcript(medium).advertising(0).filter {
      $0.channel == 37 && $0.start > milliseconds(200)
    }
    let gaps = zip(packets, packets.dropFirst()).map { $1.start - $0.start }
    // Interval, random delay, and a connection interval.
    #expect(try #require(gaps.max()) < milliseconds(100 + 10 + 30))
    #expect(gaps.count > 22)
    // 600 ms in three seconds, less connection events of 2 ms and advertising.
    #expect((480_000...600_000).contains(device.layer.counters.microseconds(.receiving, .scanner) - before))
    #expect(central.got.count > 2500)
  }
}
