import HeraldBluetooth
import HeraldHAL

@testable import HeraldSimulation

/// Hosts that do nothing by themselves and note what their radios report.
final class AirHosts {
  final class Host {
    var radio: AirRadio
    var log = RecordedEvents()

    init(_ air: Air, _ station: Int) { radio = AirRadio(air, station: station) }
  }

  struct RecordedEvents: RadioEventHandler {
    var heard: [(address: DeviceAddress, rssi: Int8, data: [UInt8], at: UInt64)] = []
    var opened: [ConnectionOpened] = []
    var failed: [DisconnectReason] = []
    var closed: [(reason: DisconnectReason, at: UInt64)] = []
    var pdus: [[UInt8]] = []
    var freed = 0
    var measured: [Int8] = []
    /// What is answered to each PDU.
    var answer: [UInt8] = []

    mutating func radioChanged(_ state: RadioState, at now: Instant) {}
    mutating func received(_ report: AdvertisingReport, data: Span<UInt8>, at now: Instant) {
      var bytes: [UInt8] = []
      for index in 0..<data.count { bytes.append(data[index]) }
      heard.append((report.address, report.rssi.rawValue, bytes, now.milliseconds))
    }
    mutating func connectionOpened(_ opened: ConnectionOpened, at now: Instant) { self.opened.append(opened) }
    mutating func connectionFailed(_ reason: DisconnectReason, at now: Instant) { failed.append(reason) }
    mutating func connectionClosed(_ connection: ConnectionID, _ reason: DisconnectReason, at now: Instant) {
      closed.append((reason, now.milliseconds))
    }
    mutating func pduReceived(
      _ buffer: inout MutableSpan<UInt8>, count: Int, on connection: ConnectionID, at now: Instant
    ) -> Int {
      var bytes: [UInt8] = []
      for index in 0..<count { bytes.append(buffer[index]) }
      pdus.append(bytes)
      for index in 0..<answer.count { buffer[index] = answer[index] }
      return answer.count
    }
    mutating func readyToSend(on connection: ConnectionID, at now: Instant) { freed += 1 }
    mutating func measured(_ rssi: RSSI, on connection: ConnectionID, at now: Instant) {
      measured.append(rssi.rawValue)
    }
  }

  let air: Air
  let hosts: [Host]

  /// Stations on a line, `metres` from one to the next, in air that neither shadows nor fades; all switched
  /// on.
  init(
    _ count: Int, metres: Float = 3, seed: UInt64 = 1, model: AirModel = .still,
    capabilities: RadioCapabilities = AirRadio.usualCapabilities
  ) {
    let air = Air(count: count, seed: seed, model: model, capabilities: capabilities)
    self.air = air
    hosts = (0..<count).map { Host(air, $0) }
    for station in 0..<count {
      air.place(station, x: Float(station) * metres, y: 0)
      air.switchOn(station)
    }
    air.updateLinks()
    run(milliseconds: 1)
  }

  subscript(station: Int) -> Host { hosts[station] }

  func run(milliseconds: UInt64) { run(microseconds: milliseconds * 1000) }

  func run(microseconds: UInt64) {
    let hosts = hosts
    air.run(until: air.now + microseconds) { station, now in
      let host = hosts[station]
      _ = host.radio.poll(at: Instant(milliseconds: now / 1000), into: &host.log)
      return .max
    }
  }

  func address(_ station: Int) -> DeviceAddress {
    DeviceAddress(high: 0x4000, low: UInt32(station), kind: .random)
  }

  func advertise(_ station: Int, every milliseconds: UInt32 = 100, connectable: Bool = true) throws {
    let data: [UInt8] = [2, 1, 6]
    try hosts[station].radio.startAdvertising(
      AdvertisingParameters(
        ownAddress: address(station), interval: .milliseconds(milliseconds), connectable: connectable),
      data: data.span, scanResponse: Span())
  }

  func scan(_ station: Int, _ window: UInt32, of interval: UInt32) throws {
    try hosts[station].radio.startScanning(
      ScanParameters(
        ownAddress: address(station), interval: .milliseconds(interval), window: .milliseconds(window),
        active: false))
  }

  func connect(_ station: Int, to peer: Int) throws {
    try hosts[station].radio.connect(
      to: address(peer), ConnectionParameters(ownAddress: address(station)))
  }

  /// Connects station 0 to station 1.
  func connected() throws {
    try advertise(1, every: 20)
    try connect(0, to: 1)
    run(milliseconds: 1000)
    hosts[1].radio.stopAdvertising()
  }
}

extension AirModel {
  /// Nothing is left to chance but moments.
  static var still: AirModel {
    var model = AirModel()
    model.shadowing = 0
    model.riceFactor = 1e9
    model.dataLoss = 0
    return model
  }
}
