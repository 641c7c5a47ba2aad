/// What can be fuzzed: one case for each kind of bytes that come from outside.
enum FuzzTarget: String, CaseIterable {
  case advertising
  case attServer = "att-server"
  case attClient = "att-client"
  case hci
  case h4
  case l2cap
  case logPage = "log-page"
  case logMount = "log-mount"
  case sealedPage = "sealed-page"
  case cbor
  case smp
  case smpSerial = "smp-serial"
  case session
  case hostSession = "host-session"
  case usb
  case extendedData = "extended-data"
  case signals
  case neighbours
  case storedPayload = "stored-payload"
  case elf
  case intelHex = "intel-hex"
  case uf2
  case mcuboot
  case package
  case pemKey = "pem-key"
  case linkLayer = "linklayer"
  case hciController = "hci-controller"
  case hciUSB = "hci-usb"
  case managementPort = "management-port"

  /// What this run fuzzes: libFuzzer's callback takes no context.
  nonisolated(unsafe) static var chosen = FuzzTarget.advertising

  /// One run on one input. It has passed if it returns.
  func run(_ bytes: Span<UInt8>) {
    switch self {
    case .advertising: fuzzAdvertising(bytes)
    case .attServer: fuzzATTServer(bytes)
    case .attClient: fuzzATTClient(bytes)
    case .hci: fuzzHCI(bytes)
    case .h4: fuzzH4(bytes)
    case .l2cap: fuzzL2CAP(bytes)
    case .logPage: fuzzLogPage(bytes)
    case .logMount: fuzzLogMount(bytes)
    case .sealedPage: fuzzSealedPage(bytes)
    case .cbor: fuzzCBOR(bytes)
    case .smp: fuzzSMP(bytes)
    case .smpSerial: fuzzSMPSerial(bytes)
    case .session: fuzzSession(bytes)
    case .hostSession: fuzzHostSession(bytes)
    case .usb: fuzzUSB(bytes)
    case .extendedData: fuzzExtendedData(bytes)
    case .signals: fuzzSignals(bytes)
    case .neighbours: fuzzNeighbours(bytes)
    case .storedPayload: fuzzStoredPayload(bytes)
    case .elf, .intelHex, .uf2, .mcuboot: fuzzImage(bytes)
    case .package: fuzzPackage(bytes)
    case .pemKey: fuzzPEMKey(bytes)
    case .linkLayer: fuzzLinkLayer(bytes)
    case .hciController: fuzzHCIController(bytes)
    case .hciUSB: fuzzHCIUSB(bytes)
    case .managementPort: fuzzManagementPort(bytes)
    }
  }

  /// Valid inputs to begin with.
  var seeds: [[UInt8]] {
    switch self {
    case .advertising: advertisingSeeds
    case .attServer: attServerSeeds
    case .attClient: attClientSeeds
    case .hci: hciSeeds
    case .h4: h4Seeds
    case .l2cap: l2capSeeds
    case .logPage: logPageSeeds
    case .logMount: logMountSeeds
    case .sealedPage: sealedPageSeeds
    case .cbor: cborSeeds
    case .smp: smpSeeds
    case .smpSerial: smpSerialSeeds
    case .session: sessionSeeds
    case .hostSession: hostSessionSeeds
    case .usb: usbSeeds
    case .extendedData: extendedDataSeeds
    case .signals: signalSeeds
    case .neighbours: neighbourSeeds
    case .storedPayload: storedPayloadSeeds
    case .elf: elfSeeds
    case .intelHex: intelHexSeeds
    case .uf2: uf2Seeds
    case .mcuboot: mcubootSeeds
    case .package: packageSeeds
    case .pemKey: pemKeySeeds
    case .linkLayer: linkLayerSeeds
    case .hciController: hciControllerSeeds
    case .hciUSB: hciUSBSeeds
    case .managementPort: managementPortSeeds
    }
  }
}

/// Stops the run: what a target calls when a promise was broken without a trap.
func broken(_ promise: StaticString) -> Never {
  fatalError("\(promise)")
}

/// Hands out the records of an input: each is a length byte and that many bytes (fewer at the end).
func forEachRecord(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
  var start = 0
  while start < bytes.count {
    let end = min(bytes.count, start + 1 + Int(bytes[start]))
    body(bytes.extracting(start + 1..<end))
    start = end
  }
}

/// The records of `forEachRecord` as one input.
func records(_ parts: [[UInt8]]) -> [UInt8] {
  parts.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 }
}
