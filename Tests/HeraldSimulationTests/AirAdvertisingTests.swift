import HeraldBluetooth
import Testing

@testable import HeraldSimulation

/// `#expect` takes no calls that change their receiver.
private func expect(_ wanted: Bool, _ found: Bool, _ location: SourceLocation = #_sourceLocation) {
  #expect(found == wanted, sourceLocation: location)
}

@Suite("Advertising on the air")
struct AirAdvertisingTests {
  @Test("A packet is heard as it was sent, as strong as the distance lets it be")
  func range() throws {
    let air = AirHosts(2, metres: 5)
    try air.advertise(0)
    try air.scan(1, 100, of: 100)
    air.run(milliseconds: 1000)
    let first = try #require(air[1].log.heard.first)
    #expect(first.address == air.address(0))
    // 0 dBm − 40.2 − 10 − 30·log₁₀(5)
    #expect(first.rssi == -71)
    #expect(first.data == [2, 1, 6])
    #expect(air.air.delivered(to: 1) == UInt64(air[1].log.heard.count))
  }

  @Test("Beyond the radio's reach nothing is heard")
  func beyond() throws {
    // 96 dB are used up after 33.6 m.
    for (metres, isHeard) in [(Float(33), true), (Float(35), false)] {
      let air = AirHosts(2, metres: metres)
      try air.advertise(0)
      try air.scan(1, 100, of: 100)
      air.run(milliseconds: 1000)
      #expect(air[1].log.heard.isEmpty != isHeard)
    }
  }

  @Test("Packets are heard in scan windows only")
  func windows() throws {
    let air = AirHosts(2)
    try air.advertise(0, every: 20)
    air.run(milliseconds: 250)
    try air.scan(1, 30, of: 300)
    let start = air.air.now / 1000
    air.run(milliseconds: 30_000)
    let moments = air[1].log.heard.map { ($0.at - start) % 300 }
    #expect(moments.count > 80)
    #expect(moments.allSatisfy { $0 <= 30 })
  }

  @Test("A scanner listens on one channel at a time: of the three packets of an event it hears one")
  func channels() throws {
    let air = AirHosts(2)
    try air.advertise(0, every: 100)
    try air.scan(1, 250, of: 250)
    air.run(milliseconds: 60_000)
    let events = air.air.advertisements / 3
    #expect(events > 560 && events < 600)
    // Some are cut off by the end of a window.
    #expect(air[1].log.heard.count > Int(events) - 15 && air[1].log.heard.count <= Int(events) + 5)
  }

  @Test("Up to 10 ms of chance are added to each advertising interval")
  func delay() throws {
    let air = AirHosts(2)
    air.air.setRandomDelays(0)
    try air.advertise(0, every: 100)
    try air.scan(1, 10_000, of: 10_000)
    air.run(milliseconds: 9_000)
    let moments = air[1].log.heard.map(\.at)
    let gaps = zip(moments, moments.dropFirst()).map { $1 - $0 }
    #expect(gaps.count > 70)
    #expect(gaps.allSatisfy { $0 >= 99 && $0 <= 111 })
    #expect(Set(gaps).count > 5)
  }

  @Test("Without it they are those of the address, by a crystal that may be slow, and made up for")
  func rhythm() throws {
    // Station 0: 5868 + 3204 + 8352 + 5256 µs (`AdvertisingRhythmTests` has the program) and 0 to 32 µs, 4
    // times 100 ms, and 100 ppm of them.
    for (ppm, least) in [(0.0, 422_680), (100, 422_722)] as [(Double, UInt64)] {
      let air = AirHosts(1)
      air.air.setDeviation(0, ppm: ppm)
      try air.advertise(0, every: 100)
      var starts: [UInt64] = []
      for step in 0..<40_000 {
        air.run(microseconds: 100)
        if step == 20_000 {
          air.air.receivers[0].occupy(from: air.air.now, to: air.air.stations[0].plannedAt + 40_000)
        }
        if let at = air.air.stations[0].advertisedAt, at != starts.last { starts.append(at) }
      }
      let four = zip(starts, starts.dropFirst(4)).map { $1 - $0 }
      #expect(four.count { $0 >= least && $0 <= least + 36 } > four.count - 14)
      let gaps = zip(starts, starts.dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 >= 100_000 } && gaps.count { $0 > 110_002 } <= 1)
      // The first and the last are a multiple apart.
      let last = (starts.count - 1) / 4 * 4
      let periods = UInt64(last / 4)
      #expect(
        (starts[last] - starts[0]) / periods >= least && (starts[last] - starts[0]) / periods <= least + 36)
    }
  }

  @Test("While a radio sends or is in a connection event it hears nothing")
  func halfDuplex() {
    var receiver = Receiver()
    receiver.scan.begin(every: 100_000, for: 100_000, at: 1000)
    let channel = receiver.scan.channel
    expect(true, receiver.receives(channel, from: 5000, to: 5300))
    receiver.occupy(from: 6000, to: 8000)
    receiver.occupy(from: 9000, to: 9500)
    expect(false, receiver.receives(channel, from: 5900, to: 6001))
    expect(false, receiver.receives(channel, from: 7999, to: 8300))
    expect(true, receiver.receives(channel, from: 8000, to: 9000))
    expect(false, receiver.receives(channel, from: 9499, to: 9800))
    expect(true, receiver.receives(channel, from: 9500, to: 9800))
    expect(false, receiver.receives((channel + 1) % 3, from: 9500, to: 9800))
    expect(true, receiver.receives((channel + 1) % 3, from: 101_000, to: 101_300))
  }

  @Test("Of two packets that overlap the stronger is heard if it exceeds the other by 10 dB and began first")
  func capture() {
    let air = AirHosts(3, metres: 5).air
    var others = AirChannel.Overlaps()
    others.count = 1
    others.packets[0] = AirChannel.Packet(start: 100, end: 400, sender: 0)
    // Station 0 is heard at −71.2 dBm by station 1.
    expect(true, air.isSpoilt(-61.5, at: 1, from: 50, &others))
    expect(false, air.isSpoilt(-60.5, at: 1, from: 50, &others))
    // It was at the other packet already.
    expect(true, air.isSpoilt(-40, at: 1, from: 150, &others))
  }

  @Test("Packets of other channels and other times do not overlap")
  func overlaps() {
    var channel = AirChannel()
    for (start, sender) in [(UInt64(1000), Int32(1)), (1200, 2), (1400, 3), (1700, 4), (2400, 5)] {
      channel.add(AirChannel.Packet(start: start, end: start + 300, sender: sender))
    }
    var found = AirChannel.Overlaps()
    channel.overlaps(1400, 1700, of: 3, into: &found)
    #expect(found.count == 1)
    #expect(found.packets[0].sender == 2)
  }

  @Test("With many senders at once packets are lost to others")
  func collisions() throws {
    let air = AirHosts(20, metres: 0.5)
    for station in 1..<20 { try air.advertise(station, every: 20, connectable: false) }
    try air.scan(0, 100, of: 100)
    air.run(milliseconds: 5000)
    let heardIfAlone = Double(air.air.advertisements) / 3
    #expect(Double(air[0].log.heard.count) < 0.9 * heardIfAlone)
    #expect(air[0].log.heard.count > 500)
    #expect(air.air.collisions > 500)
  }

  @Test("What a radio cannot do it refuses")
  func capabilities() throws {
    var some = AirRadio.usualCapabilities
    some.canAdvertise = false
    some.canScanWhileConnecting = false
    let air = AirHosts(2, capabilities: some)
    #expect(throws: RadioError.unsupported) { try air.advertise(0) }
    try air.scan(0, 50, of: 100)
    #expect(throws: RadioError.unsupported) { try air.connect(0, to: 1) }
    air[0].radio.stopScanning()
    try air.connect(0, to: 1)
    #expect(throws: RadioError.unsupported) { try air.scan(0, 50, of: 100) }
    #expect(throws: RadioError.busy) { try air.connect(0, to: 1) }
  }
}
