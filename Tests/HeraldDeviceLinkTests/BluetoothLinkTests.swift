import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldDeviceLink

@Suite("The management link over Bluetooth")
struct BluetoothLinkTests {
  private let echo = hex("0A000007 0000 0500 A1 61 64 63 686921")
  private let echoed = hex("0B000007 0000 0500 A1 61 72 63 686921")

  @Test("is not in the table by default: its handles are invalid, and it is not advertised")
  func off() {
    var badge = RadioBadge(isOn: false)
    badge.open(0)
    check(badge.send(hex("12 1900 0100")) == [hex("01 12 1900 01")])
    // Find By Type Value: the service.
    let find = hex("06 0100 FFFF 0028 84AA6074528A8B86D34CB71D1DDC538D")
    check(badge.send(find) == [hex("01 06 0100 0A")])
    check(badge.send(hex("52 1800") + echo) == [])
    // Herald's last attribute, the payload of 0xFCF6, is at 21.
    check(badge.send(hex("0A 1500")).first?.first == 0x0B)
  }

  @Test("is behind Herald's services, whose handles are the same, when it is switched on")
  func table() {
    var badge = RadioBadge()
    badge.connect()
    let find = hex("06 0100 FFFF 0028 84AA6074528A8B86D34CB71D1DDC538D")
    check(badge.send(find) == [hex("07 1600 1900")])
    check(
      badge.send(hex("08 1600 1900 0328"))
        == [hex("09 15 1700 14 1800 487C997411269EAE014ECEFB28782EDA")])
    check(badge.send(hex("04 1900 1900")) == [hex("05 01 1900 0229")])
    // Herald: 12…16 and 17…21.
    check(badge.send(hex("06 0100 FFFF 0028 9BFD5BD672451E80D3424647AF328142")) == [hex("07 0C00 1000")])
    check(badge.send(hex("06 0100 FFFF 0028 F6FC")) == [hex("07 1100 1500")])
    // It is not written with response, and not read.
    check(badge.send(hex("12 1800 00")) == [hex("01 12 1800 03")])
    check(badge.send(hex("0A 1800")) == [hex("01 0A 1800 02")])
  }

  @Test("answers in notifications: an echo, whole and byte by byte behind the header")
  func echoes() {
    var badge = RadioBadge()
    badge.connect()
    check(badge.ask(echo) == echoed)
    check(badge.ask(echo, part: 8) == echoed)
  }

  @Test("splits a response into parts of ATT_MTU − 3 bytes, which wait while the radio accepts none")
  func parts() {
    var badge = RadioBadge()
    badge.open(0)
    _ = badge.send(hex("12 1900 0100"))
    // 45 bytes of text: the response has 58 bytes, and a part 20.
    let text = [UInt8](repeating: 0x41, count: 45)
    let request = hex("0A000032 0000 0700 A1 61 64 78 2D") + text
    let answer = hex("0B000032 0000 0700 A1 61 72 78 2D") + text
    badge.device.node.radio.hasBackpressure = true
    check(badge.ask(request, part: 20) == [])
    badge.device.node.radio.hasBackpressure = false
    badge.device.node.radio.happen(.readyToSend(ConnectionID(index: 0)))
    badge.run()
    let parts = badge.sent()
    check(parts.map(\.count) == [23, 23, 21])
    check(parts.flatMap { $0.dropFirst(3) } == answer)
    check(parts.allSatisfy { $0.starts(with: hex("1B 1800")) })
  }

  @Test("parts fill packets of 27 bytes: 236 bytes at an ATT_MTU of 247")
  func largeParts() {
    var badge = RadioBadge()
    badge.connect()
    // 230 bytes of text: the response has 243 bytes.
    let text = [UInt8](repeating: 0x41, count: 230)
    let parts = badge.send(hex("52 1800 0A0000EB 0000 0700 A1 61 64 78 E6") + text)
    check(parts.map(\.count) == [239, 10])
    check(parts.flatMap { $0.dropFirst(3) } == hex("0B0000EB 0000 0700 A1 61 72 78 E6") + text)
  }

  @Test("a client that has not enabled notifications has no responses, and is served when it has")
  func noNotifications() {
    var badge = RadioBadge()
    badge.open(0)
    _ = badge.send(hex("02 F700"))
    check(badge.ask(echo) == [])
    check(badge.send(hex("12 1900 0100")) == [hex("13")])
    check(badge.ask(echo) == echoed)
  }

  @Test("without a session: information and statistics, but neither log nor changes, with and without a key")
  func stranger() {
    var badge = RadioBadge()
    badge.connect()
    for hasKey in [false, true] {
      if hasKey {
        badge.lock()
      } else {
        check(badge.device.keep(.stayOpen, value: 1, at: badge.now))
      }
      // {"format": "n"} → {"output": "BADGE-7"}
      check(
        badge.ask(hex("0800000A 0000 0107 A1 66 666F726D6174 61 6E"))
          == hex("09000010 0000 0107 A1 66 6F7574707574 67") + Array("BADGE-7".utf8))
      check(badge.ask(hex("08000001 0002 0201 A0")).starts(with: hex("09")))
      // Page 0 of the log, a commit of the settings, a factory reset.
      let read = badge.ask(hex("08000001 0048 0301 A0"))
      check(Array(read.dropFirst(8)) == refusal(8))
      check(Array(badge.ask(hex("0A000001 0003 0402 A0")).dropFirst(8)) == accessDenied)
      check(Array(badge.ask(hex("0A000001 0048 0503 A0")).dropFirst(8)) == refusal(8))
    }
  }

  @Test("a session gives access, and ends with the connection")
  func session() {
    var badge = RadioBadge()
    badge.lock()
    badge.connect()
    let commit = hex("0A000001 0003 0102 A0")
    var host = badge.unlock()
    guard let request = host?.seal(commit) else {
      Issue.record("no session")
      return
    }
    check(host?.open(badge.ask(request)) == [0xA0])
    badge.device.node.radio.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    badge.run()
    badge.connect()
    let again = host?.seal(commit) ?? []
    check(Array(badge.ask(again).dropFirst(8)) == refusal(8))
  }

  @Test("a client without a session is disconnected after a minute, one with a session when it is idle")
  func lives() {
    var badge = RadioBadge()
    badge.connect()
    for _ in 0..<5 {
      badge.pass(.seconds(11))
      check(badge.ask(echo) == echoed)
    }
    check(badge.isConnected)
    badge.pass(.seconds(6))
    check(!badge.isConnected)

    badge.connect()
    for _ in 0..<20 {
      badge.pass(.seconds(11))
      _ = badge.ask(echo)
      badge.device.trustManagementClient(at: badge.now)
    }
    check(badge.isConnected)
    badge.pass(.seconds(16))
    check(!badge.isConnected)
  }

  @Test("gives its connection up when all are in use")
  func lastPlace() {
    var badge = RadioBadge()
    badge.connect()
    _ = badge.ask(echo)
    badge.open(1)
    badge.open(2)
    check(badge.isConnected)
    badge.open(3)
    badge.pass(.milliseconds(1))
    check(!badge.isConnected && badge.device.node.radio.open.count == 3)
    check(badge.device.node.core.managementStatistic(4) == 1)
    // A client that comes as the last one.
    badge.connect(0)
    _ = badge.send(hex("52 1800") + echo)
    badge.pass(.milliseconds(1))
    check(!badge.isConnected && badge.device.node.radio.open.count == 3)
  }

  @Test("another connection has no responses while there is a client")
  func second() {
    var badge = RadioBadge()
    badge.connect(0)
    badge.connect(1)
    check(badge.ask(echo) == echoed)
    check(badge.ask(echo, on: 1) == [])
    badge.device.node.radio.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    badge.run()
    check(badge.ask(echo, on: 1) == echoed)
  }

  @Test("a setting switches it on and off, and each time the address changes; a button for five minutes")
  func switched() {
    var badge = RadioBadge(isOn: false)
    func shown(_ badge: inout RadioBadge) -> (address: DeviceAddress, response: [UInt8])? {
      var last: (DeviceAddress, [UInt8])?
      for command in badge.device.node.radio.takeCommands() {
        if case .startAdvertising(let parameters, _, let response) = command {
          last = (parameters.ownAddress, response)
        }
      }
      return last
    }
    let first = shown(&badge)
    check(first?.response == [])
    check(badge.device.keep(.bluetoothManagement, value: 1, at: badge.now))
    badge.run()
    let second = shown(&badge)
    check(second?.response == hex("11 07 84AA6074528A8B86D34CB71D1DDC538D"))
    check(second?.address != first?.address)
    badge.connect()
    check(badge.ask(echo) == echoed)
    check(badge.device.keep(.bluetoothManagement, value: nil, at: badge.now))
    badge.run()
    badge.pass(.milliseconds(1))
    check(!badge.isConnected && shown(&badge)?.response == [])

    badge.device.node.core.openBluetoothManagement(at: badge.now)
    badge.run()
    check(shown(&badge)?.response.count == 18)
    badge.pass(.seconds(299))
    check(badge.device.node.core.offersBluetoothManagement)
    badge.pass(.seconds(1))
    check(!badge.device.node.core.offersBluetoothManagement)
    check(shown(&badge)?.response == [])
  }
}
