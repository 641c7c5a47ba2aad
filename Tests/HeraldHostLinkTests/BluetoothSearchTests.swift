import HeraldBluetooth
import Testing

@testable import HeraldHostLink

/// Which of several devices a search over Bluetooth selects, on a radio that does what a test says.
@Suite("Search over Bluetooth")
struct BluetoothSearchTests {
  /// A device of the test: the number that it reports, and how it behaves.
  private struct Peer {
    var address: UInt32
    var rssi: Int8 = -60
    var serial: String?
    var hasKey = false
    /// The first reception in which it is received, and the last.
    var from = 1
    var until = 99
    /// How many attempts to connect fail before one succeeds.
    var failures = 0
  }

  private final class Radio: ManagementRadio {
    var peers: [Peer]
    var receptions = 0
    /// What was done: `connect 1`, `prove 1`, `close`.
    var steps: [String] = []
    var connected: Int?

    init(_ peers: [Peer]) { self.peers = peers }

    func listen(for duration: Duration, by deadline: Deadline) -> [HeardDevice] {
      #expect(connected == nil)
      receptions += 1
      return peers.filter { ($0.from...$0.until).contains(receptions) }
        .map { HeardDevice(address: .of($0.address), rssi: RSSI($0.rssi)) }
    }

    func connect(to address: DeviceAddress, by deadline: Deadline) throws(HostLinkError) -> String {
      #expect(connected == nil)
      steps.append("connect \(address.low)")
      guard let place = peers.firstIndex(where: { $0.address == address.low }) else {
        throw HostLinkError(.link, "nobody")
      }
      peers[place].failures -= 1
      guard peers[place].failures < 0, let serial = peers[place].serial else {
        throw HostLinkError(.link, "no connection")
      }
      connected = place
      return serial
    }

    func close() {
      connected = nil
      steps.append("close")
    }

    func prove() throws(HostLinkError) -> Bool {
      guard let connected else { throw HostLinkError(.link, "nobody") }
      steps.append("prove \(peers[connected].address)")
      guard peers[connected].hasKey else { throw HostLinkError(.notProved, "no key") }
      return true
    }

    /// Searches with a key, as long as the test says nothing else.
    func find(_ address: String? = nil, withKey: Bool = true, seconds: Int = 3600) throws -> [HeardDevice] {
      var search = BluetoothSearch(serial: "A1", address: address.flatMap { BluetoothAddress($0) })
      return try search.run(self, by: .after(.seconds(seconds))) { () throws(HostLinkError) in
        withKey ? try prove() : false
      }
    }
  }

  private func error(_ work: () throws -> [HeardDevice]) -> HostLinkError? {
    do { _ = try work() } catch { return error as? HostLinkError }
    return nil
  }

  @Test("The nearest device is tried first; another number ends its part")
  func order() throws {
    let radio = Radio([
      Peer(address: 1, rssi: -80, serial: "A1", hasKey: true), Peer(address: 2, rssi: -40, serial: "B2"),
      Peer(address: 3, rssi: 127, serial: "C3"),
    ])
    #expect(try radio.find() == [])
    #expect(radio.steps == ["connect 2", "close", "connect 1", "prove 1"])
    #expect(radio.connected == 0)
  }

  @Test("A nearer stranger with the same number is passed over, and reported")
  func stranger() throws {
    let radio = Radio([
      Peer(address: 1, rssi: -40, serial: "A1"), Peer(address: 2, rssi: -80, serial: "A1", hasKey: true),
    ])
    #expect(try radio.find().map(\.text) == ["C0:00:00:00:00:01 (-40 dBm)"])
    #expect(radio.steps == ["connect 1", "prove 1", "close", "connect 2", "prove 2"])
  }

  @Test("The device is found after a stranger although it is received later, or does not connect at first")
  func later() throws {
    for device in [
      Peer(address: 2, serial: "A1", hasKey: true, from: 4),
      Peer(address: 2, serial: "A1", hasKey: true, failures: 2),
    ] {
      let radio = Radio([Peer(address: 1, serial: "A1"), device])
      #expect(try radio.find().map(\.text) == ["C0:00:00:00:00:01 (-60 dBm)"])
    }
  }

  @Test("A device that does not connect is tried again, after the others and at most three times")
  func again() throws {
    let radio = Radio([
      Peer(address: 1, rssi: -40), Peer(address: 2, serial: "A1", hasKey: true, failures: 2),
    ])
    #expect(try radio.find() == [])
    #expect(
      radio.steps == [
        "connect 1", "connect 2", "connect 1", "connect 2", "connect 1", "connect 2", "prove 2",
      ])
    let silent = Radio([Peer(address: 1), Peer(address: 2, serial: "A1", hasKey: true, from: 9)])
    #expect(try silent.find() == [])
    #expect(silent.steps == ["connect 1", "connect 1", "connect 1", "connect 2", "prove 2"])
  }

  @Test("Alone with the wrong key: its error, after three more receptions")
  func wrongKey() {
    let radio = Radio([Peer(address: 1, serial: "A1")])
    let found = error { try radio.find() }
    #expect(found == HostLinkError(.notProved, "no key"))
    #expect(radio.receptions == 4)
    #expect(radio.connected == nil)
  }

  @Test("Two that do not prove: neither is selected, and both are named, the nearer first")
  func twoWithoutProof() {
    let radio = Radio([Peer(address: 1, rssi: -80, serial: "A1"), Peer(address: 2, serial: "A1")])
    #expect(
      error { try radio.find() }?.description
        == "2 devices report serial number A1, the nearest first: C0:00:00:00:00:02 (-60 dBm), C0:00:00:00:00:01 (-80 dBm); none has proved that it has the access key: go nearer to the device and try again, or connect it by USB; check that the key is its own"
    )
    #expect(radio.connected == nil)
  }

  @Test("Without a key: the only one is selected, on the connection that it was read on")
  func withoutKey() throws {
    let radio = Radio([Peer(address: 1, serial: "A1")])
    #expect(try radio.find(withKey: false) == [])
    #expect(radio.steps == ["connect 1"])
    let among = Radio([Peer(address: 1, rssi: -40, serial: "A1"), Peer(address: 2, serial: "B2")])
    #expect(try among.find(withKey: false) == [])
    #expect(among.steps == ["connect 1", "close", "connect 2", "close", "connect 1"])
  }

  @Test("Without a key, of two neither is selected; an address selects one")
  func choice() throws {
    let peers = [Peer(address: 1, rssi: -80, serial: "A1"), Peer(address: 2, serial: "A1")]
    let found = error { try Radio(peers).find(withKey: false) }
    #expect(found?.cause == .severalDevices)
    #expect(
      found?.description
        == "2 devices report serial number A1, the nearest first: C0:00:00:00:00:02 (-60 dBm), C0:00:00:00:00:01 (-80 dBm): name the file of its access key with --key-file, which only the device itself can prove to have, or choose one with --device ble:A1@ADDRESS"
    )
    let radio = Radio(peers)
    #expect(try radio.find("c0:00:00:00:00:01", withKey: false) == [])
    #expect(radio.steps == ["connect 1"])
    #expect(
      error { try Radio(peers).find("C0:00:00:00:00:03", seconds: 0) }?.what
        == "no device with serial number A1 at C0:00:00:00:00:03 offers its management link over Bluetooth")
  }

  @Test("A device that changes its address meanwhile is not two")
  func changedAddress() throws {
    let radio = Radio([
      Peer(address: 1, serial: "A1", until: 1), Peer(address: 2, rssi: -70, serial: "A1"),
    ])
    #expect(try radio.find(withKey: false) == [])
    #expect(radio.steps == ["connect 1", "close", "connect 2", "close", "connect 2"])
    #expect(radio.connected == 1)
  }

  @Test("Two that are not received any more after they were read are still two")
  func silentAfterwards() {
    let radio = Radio([
      Peer(address: 1, rssi: -80, serial: "A1", until: 4), Peer(address: 2, serial: "A1", until: 4),
    ])
    #expect(error { try radio.find() }?.what.hasPrefix("2 devices report serial number A1") == true)
  }

  @Test("Nobody with the number: the others are named; nobody who connects: that error")
  func nobody() {
    let radio = Radio([Peer(address: 1, serial: "C3"), Peer(address: 2, serial: "B2")])
    let found = error { try radio.find(seconds: 0) }
    #expect(found?.cause == .noDevice)
    #expect(found?.what.hasSuffix("; there are C3") == true)
    #expect(error { try Radio([Peer(address: 1)]).find(seconds: 0) } == HostLinkError(.link, "no connection"))
    #expect(error { try Radio([]).find(seconds: 0) }?.cause == .noDevice)
  }

  @Test(
    "A key file that cannot be read ends the search at once",
    arguments: [HostLinkError.Cause.storage, .usage])
  func ownFault(_ cause: HostLinkError.Cause) {
    let radio = Radio([Peer(address: 1, serial: "A1"), Peer(address: 2, serial: "A1")])
    var search = BluetoothSearch(serial: "A1", address: nil)
    #expect(throws: HostLinkError(cause, "the file")) {
      try search.run(radio, by: .after(.seconds(3600))) { () throws(HostLinkError) in
        throw HostLinkError(cause, "the file")
      }
    }
    #expect(radio.steps == ["connect 1", "close"])
  }

  @Test("Addresses as people write them")
  func addresses() throws {
    #expect(BluetoothAddress("c0:1A:22:33:44:05")?.text == "C0:1A:22:33:44:05")
    #expect(DeviceAddress(high: 0xC01A, low: 0x2233_4405, kind: .random).text == "C0:1A:22:33:44:05")
    for text in [
      "", "C0:1A:22:33:44", "C0:1A:22:33:44:055", "C0:1A:22:33:44:5", "C0:1A:22:33:44:+5",
      "C0-1A-22-33-44-05",
      "C0:1A:22:33:44:0G", "C0:1A:22:33:44:05:",
    ] {
      #expect(BluetoothAddress(text) == nil, "\(text)")
    }
  }

  @Test("Of many devices the one with the lowest RSSI is dropped, before it one without")
  func farthest() {
    let devices = [Int8(-60), -90, -30].enumerated().map {
      HeardDevice(address: .of(UInt32($0)), rssi: RSSI($1))
    }
    #expect(HeardDevice.farthest(of: devices) == devices[1])
    let unknown = HeardDevice(address: .of(9), rssi: .notAvailable)
    #expect(HeardDevice.farthest(of: devices + [unknown]) == unknown)
    #expect(unknown.text == "C0:00:00:00:00:09")
    #expect(HeardDevice.farthest(of: []) == nil)
  }
}

extension DeviceAddress {
  fileprivate static func of(_ low: UInt32) -> DeviceAddress {
    DeviceAddress(high: 0xC000, low: low, kind: .random)
  }
}
