import HeraldBluetooth
import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldLinux

/// The sensors other than the radio, and the recipients of their events: the output of the node, and live
/// events on the management link.
typealias NodeSensors = SensorArray<
  BatterySensor<MachinePower>, VisitSensor<8>, SensorDelegates<EventReporter, LiveTap>
>

/// The parts of the node, with a GATT table.
enum NodeParts<Table: GATTTable>: ManagedParts {
  typealias FlashType = FileFlash
  typealias RandomType = SystemRandom
  typealias SupplierType = ConfiguredPayload
  typealias DelegateType = NodeSensors
  typealias ServicesType = NodeServices
  typealias TableType = Table
  typealias BoardType = NodeBoard
  typealias ManagementType = BluetoothManagementPort<1024>
}

/// The node with its management functions.
typealias NodeDevice<RadioType: NodeRadio & ~Copyable, Table: GATTTable> = ManagedNode<
  RadioType, NodeParts<Table>, 256, 8, 8
>

/// The board of the node: this process.
struct NodeBoard: ManagedBoard, ~Copyable {
  let serialNumber: InlineBytes<16>
  /// Settings, the stored payload, and the record of a factory reset.
  var settings: SettingsStore<FileFlash>
  /// The path of the address key's file.
  private let addressKeyPath: String
  /// The key in that file.
  private let addressKey: IdentityResolvingKey
  /// The image slot for hosts; an image in it is not started.
  private let image: ImageFile
  /// The key with which images have to be signed; `nil` for none.
  private let imageKey: ImageKeyFile?
  var imageUpload = ImageUpload()
  /// The time of a requested restart, after the response to the request has been sent.
  private(set) var restartAt: Instant = .never

  init(
    serialNumber: InlineBytes<16>, settings: consuming FileFlash, addressKey: IdentityResolvingKey,
    addressKeyPath: String,
    image: consuming ImageFile, imageKey: ImageKeyFile?
  ) {
    self.serialNumber = serialNumber
    self.settings = SettingsStore(flash: settings)
    self.addressKey = addressKey
    self.addressKeyPath = addressKeyPath
    self.image = image
    self.imageKey = imageKey
  }

  func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(text._mutatingExtracting(0...))
    switch field {
    case .kernelName: writer.text("Herald")
    case .nodeName:
      for index in 0..<serialNumber.count { writer.u8(serialNumber[index] ?? 0) }
    case .kernelRelease, .kernelVersion: writer.text(HeraldRelease.version)
    case .machine:
      #if arch(x86_64)
        writer.text("x86_64")
      #elseif arch(arm64)
        writer.text("aarch64")
      #else
        writer.text("unknown")
      #endif
    case .hardwarePlatform: writer.text("herald-node")
    case .operatingSystem: writer.text("Linux")
    case .buildDate, .processor: return 0
    }
    return writer.overflowed ? 0 : writer.count
  }

  static var hasFiles: Bool { true }
  static var bootLoader: StaticString { "none" }
  static var hasImageSlot: Bool { true }
  func imageCapacity() -> UInt32 { image.imageCapacity() }
  func imageSize() -> UInt32 { image.imageSize() }
  func eraseImage() -> Bool { image.eraseImage() }
  func appendImage(_ bytes: Span<UInt8>) -> Bool { image.appendImage(bytes) }
  func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    image.readImage(offset: offset, into: &buffer)
  }
  func imagePlan() -> ImagePlan { image.imagePlan() }
  func planImage(_ plan: ImagePlan) -> Bool { image.planImage(plan) }
  /// The SHA-256 of what this program is: its name and version. It has no image, and tools that activate an
  /// uploaded one require a hash of the running one.
  func copyRunningHash(into hash: inout MutableSpan<UInt8>) -> Bool {
    var digest = SHA256()
    digest.update(Array("herald-node \(HeraldRelease.version)".utf8).span)
    var bytes: [32 of UInt8] = .init(repeating: 0)
    digest.finish(into: &bytes)
    guard hash.count == 32 else { return false }
    for index in 0..<32 { hash[index] = bytes[index] }
    return true
  }
  func hasImageKey() -> Bool { imageKey != nil }
  func isSignature(_ signature: Span<UInt8>, of digest: Span<UInt8>) -> Bool {
    imageKey?.hasSigned(digest, signature) ?? false
  }
  func isImageKey(_ entry: Span<UInt8>) -> Bool { imageKey?.isNamed(by: entry) ?? false }

  /// Derives the identifier from the key in the storage directory.
  func identify(_ identifier: inout DeviceIdentifier) { identifier.derive(from: addressKey) }

  static var hasSignal: Bool { true }

  /// Prints what a light would show.
  mutating func signal(_ signal: CollectionSignal, at now: Instant) -> Bool {
    Announcement.say("light \(signal)")
    return true
  }

  mutating func restart(at now: Instant) { restartAt = now + .milliseconds(250) }

  mutating func eraseElsewhere() {
    AddressKeyFile.remove(addressKeyPath)
    _ = image.eraseImage()
  }
}

extension ManagedNode where RadioType: ~Copyable, Parts.BoardType == NodeBoard {
  /// The time of a requested restart; `.never` if none was requested.
  var restartAt: Instant { board.restartAt }

  /// Executes a command, and prints the number of receiving peers to standard output. Returns the error text
  /// if it fails.
  mutating func obey(_ command: DeviceCommand, at now: Instant) -> String? {
    do throws(ImmediateSendError) {
      switch command {
      case .sendToAll(let message):
        let count = try node.core.sendImmediatelyToAll(message.span, at: now)
        Announcement.say("sending \(count)")
      case .send(let message, let peer):
        // The text of an identity does not contain its kind.
        guard let target = known(peer) else { throw .unreachable }
        try node.core.sendImmediately(message.span, to: target, at: now)
        Announcement.say("sending 1")
      }
      return nil
    } catch {
      return Self.words(for: error)
    }
  }

  private mutating func known(_ peer: IdentityBits) -> TargetIdentity? {
    for identity in peer.identities where node.core.table.find(identity) != nil { return identity }
    return nil
  }

  private static func words(for error: ImmediateSendError) -> String {
    switch error {
    case .busy:
      "another message is still on its way; try again when it has arrived, in a minute at the latest"
    case .tooLong: "a message has at most 509 bytes"
    case .noBuffer: "every buffer is in use; try again soon"
    case .unreachable: "nobody is there who could take it"
    }
  }
}
