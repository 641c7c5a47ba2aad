import ArgumentParser
import HeraldEmbedded
import HeraldLinux

/// Advertising and scan options.
struct AirOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Advertise. A device that does not writes its payload to the peers it meets.")
  var advertise = true

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Scan, and connect to peers. A beacon does not.")
  var scan: Bool?

  @Option(help: "Milliseconds from one advertisement to the next, 20 to 10240.")
  var advertisingInterval = HeraldConfiguration().advertisingInterval.milliseconds

  @Option(
    help:
      "Milliseconds from the start of one scan window to the next, 3 to 10240; default 1125. If this or --scan-window is given, the device does not scan in rounds."
  )
  var scanInterval: UInt32?

  @Option(
    help:
      "Milliseconds of listening in each scan interval, 3 up to the interval; default 120. While several peers wait it is all of it."
  )
  var scanWindow: UInt32?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Ask for scan responses. They say nothing of Herald's.")
  var activeScan = false

  @Option(
    help: ArgumentHelp(
      "Seconds from one own address to the next. Below 60 a pseudo device address is shown beside it.",
      valueName: "seconds"))
  var addressPeriod: UInt32 = 900

  @Option(
    help: ArgumentHelp(
      "By which of Herald's services to be found and to find others: long, short or long,short.",
      valueName: "services"),
    transform: { try ServiceChoice($0) })
  var service = ServiceChoice.both

  @Option(
    help: ArgumentHelp(
      "A service of a provider's own, advertised in place of the long one, and recognised and served beside the others.",
      valueName: "uuid"),
    transform: { try CustomService($0) })
  var customService: CustomService?

  @Option(help: "Which table of characteristics to serve. All but the usual one have the long service only.")
  var gatt = TableChoice.usual

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The transmit power to tell peers, in dBm, -127 to 126.", valueName: "dBm"))
  var txPower: Int8?

  func validate() throws {
    guard Setting.advertisingInterval.allows(advertisingInterval) else {
      throw ValidationError("--advertising-interval takes 20 to 10240 milliseconds.")
    }
    guard scanInterval.map(Setting.scanInterval.allows) ?? true else {
      throw ValidationError("--scan-interval takes 3 to 10240 milliseconds.")
    }
    guard scanWindow.map(Setting.scanWindow.allows) ?? true else {
      throw ValidationError("--scan-window takes 3 milliseconds up to the scan interval.")
    }
    guard (1...604_800).contains(addressPeriod) else {
      throw ValidationError("--address-period takes a second to a week.")
    }
    guard txPower.map({ (-127...126).contains($0) }) ?? true else {
      throw ValidationError("--tx-power takes -127 to 126 dBm.")
    }
  }
}
