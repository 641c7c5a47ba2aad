import ArgumentParser
import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldLinux
import Testing

@testable import herald_node

private let needed = ["--radio", "tcp:localhost:1", "--storage", "/tmp", "--payload", "venue:826,4,7"]

@Suite("The node's options")
struct OptionTests {
  private func configuration(_ options: String...) throws -> HeraldConfiguration {
    try HeraldNodeCommand.parse(needed + options).configuration()
  }

  private func complaint(_ options: [String]) -> String? {
    do {
      _ = try HeraldNodeCommand.parse(needed + options).configuration()
      return nil
    } catch {
      return HeraldNodeCommand.message(for: error)
    }
  }

  @Test("Nothing said is what the core has by itself")
  func defaults() throws {
    let (given, core) = (try configuration(), HeraldConfiguration())
    #expect(given.advertises && given.scans && given.sharesPayloads)
    #expect(!given.readsModel && !given.keepsConnections && given.connectionPolicy == .oldest)
    #expect(given.scanTiming == core.scanTiming)
    #expect(given.advertisingInterval == core.advertisingInterval)
    #expect(given.addressPeriod == core.addressPeriod && given.expiry == core.expiry)
    #expect(given.advertisement == core.advertisement)
    #expect(given.introspection.ignored == .none && given.introspection.customService == nil)
  }

  @Test("Without a controller there is no HCI traffic to capture")
  func capture() throws {
    let radio = ["--radio", "air:run1:0", "--storage", "/tmp"]
    let command = try HeraldNodeCommand.parse(radio)
    #expect(command.radio == .air(PhyAddress(simulation: "run1", device: 0)))
    #expect(throws: (any Error).self) {
      try HeraldNodeCommand.parse(radio + ["--capture", "/tmp/a.btsnoop"])
    }
    #expect(complaint(["--capture", "/tmp/a.btsnoop"]) == nil)
  }

  @Test("A scan interval or window that is given ends scanning in rounds, even if it is that of the core")
  func scanTiming() throws {
    #expect(try configuration().scanTiming.latency == .seconds(30))
    for options in [["--scan-interval", "1125"], ["--scan-window", "120"]] {
      let timing = try HeraldNodeCommand.parse(needed + options).configuration().scanTiming
      #expect(timing.latency == .zero && timing.interval == .milliseconds(1125))
      #expect(timing.window == .milliseconds(120))
    }
    #expect(complaint(["--scan-window", "1126"]) != nil && complaint(["--scan-window", "2"]) != nil)
  }

  @Test("Each option sets what it names")
  func each() throws {
    #expect(try configuration("--no-advertise").advertises == false)
    #expect(try configuration("--no-scan").scans == false)
    #expect(try configuration("--no-sharing").sharesPayloads == false)
    #expect(try configuration("--read-model").readsModel)
    #expect(try configuration("--keep-connections").keepsConnections)
    #expect(try configuration("--connection-policy", "weakest").connectionPolicy == .weakest)
    #expect(try configuration("--address-period", "10").addressPeriod == .seconds(10))
    #expect(try configuration("--clock", "beacon").takesTimeFromBeacons)
    #expect(try !configuration("--clock", "host").takesTimeFromBeacons)
    #expect(try configuration("--expiry", "3").expiry == .seconds(3))
    #expect(try configuration("--advertising-interval", "100").advertisingInterval == .milliseconds(100))
    let timing = try configuration("--scan-interval", "1000", "--scan-window", "900", "--active-scan")
      .scanTiming
    #expect(timing.interval == .milliseconds(1000) && timing.window == .milliseconds(900) && timing.active)
    #expect(try configuration("--tx-power", "-4").advertisement.txPower == -4)
  }

  @Test(
    "A service that is not chosen is neither advertised nor recognised; a provider's own takes the long one's place on the air"
  )
  func services() throws {
    let short = try configuration("--service", "short")
    #expect(short.advertisement.omitted == .long && short.introspection.ignored == .long)
    let own = try configuration("--custom-service", "0e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a10")
    let uuid = UUID128(0x0E0A_8F54_7A5C_4CD1, 0x9F0E_3B1D_5C2F_7A10)
    #expect(own.advertisement.customService == uuid && own.advertisement.omitted == .long)
    #expect(own.introspection.customService == uuid && own.introspection.ignored == .none)
    #expect(own.advertisement.length <= 31)
  }

  @Test(
    "HP-37 Each table that can be chosen has room for the provider's service and both systems, and is sound")
  func tables() throws {
    func check<Table: GATTTable>(_: Table.Type) {
      var services = NodeServices()
      services.customService = UUID128(1, 2)
      var table = NodeServices.Table()
      services.serve(behind: Table.database, in: &table)
      #expect(table.database.attributes.count == Table.database.attributes.count + 5)
      #expect(table.database.firstFault() == nil)
      // CovidWatch's and C19X's: three attributes each, 21 and 35 bytes.
      #expect(table.database.attributes.count + 6 <= 40 && table.database.bytes.count + 56 <= 400)
    }
    check(HeraldGATTTable.self)
    check(HeraldBothSignalsGATTTable.self)
    check(HeraldNotifyingGATTTable.self)
    check(HeraldLegacyGATTTable.self)
    #expect(try configuration("--gatt", "legacy").advertisement.omitted == .short)
    #expect(complaint(["--gatt", "notifying", "--service", "short"])?.contains("leaves none") == true)
  }

  @Test("HP-51 A beacon does not scan, and stands at a venue")
  func beacon() throws {
    let beacon = try configuration("--role", "beacon")
    #expect(beacon.advertises && !beacon.scans)
    #expect(try !configuration("--role", "beacon", "--no-scan").scans)
    #expect(complaint(["--role", "beacon", "--scan"])?.contains("does not scan") == true)
    #expect(complaint(["--role", "beacon", "--no-advertise"])?.contains("to be found") == true)
    for payload in ["fixed:826,4,1", "test:1", "hex:303A030400F3E00100"] {
      #expect(
        complaint(["--role", "beacon", "--payload", payload])?.contains("needs --payload venue") == true)
    }
  }

  @Test(
    "Values out of range, and options that make no sense together, are refused",
    arguments: [
      ["--advertising-interval", "19"], ["--advertising-interval", "10241"], ["--scan-interval", "2"],
      ["--scan-interval", "10241"], ["--scan-window", "2"], ["--scan-window", "1126"],
      ["--address-period", "0"],
      ["--expiry", "0"], ["--expiry", "604801"], ["--tx-power", "127"], ["--tx-power", "-128"],
      ["--connection-policy", "newest"], ["--service", "none"], ["--name", ""],
      ["--name", String(repeating: "x", count: 21)],
      ["--log-pages", "0"], ["--no-scan", "--no-advertise"], ["--address-period", "10", "--tx-power", "0"],
    ])
  func refused(options: [String]) { #expect(complaint(options) != nil) }

  @Test("HP-51 A stay counts after two minutes and ends after five, unless told otherwise")
  func visits() throws {
    let usual = try HeraldNodeCommand.parse(needed).peers.visitSensor
    let (presence, absence) = (usual.presence, usual.absence)
    #expect(presence == .minutes(2) && absence == .minutes(5))
    let quick = try HeraldNodeCommand.parse(needed + ["--visit-after", "0", "--visit-end", "1"]).peers
      .visitSensor
    let (least, soonest) = (quick.presence, quick.absence)
    #expect(least == .zero && soonest == .seconds(1))
    #expect(complaint(["--visit-end", "0"]) != nil)
    #expect(complaint(["--visit-after", "86401"]) != nil)
  }

  @Test("A short address period leaves room for one service, and for a transmit power beside the short one")
  func room() {
    #expect(complaint(["--address-period", "10"]) == nil)
    #expect(complaint(["--address-period", "10", "--tx-power", "0", "--service", "short"]) == nil)
  }
}
