import HeraldCrypto
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// An image slot as the device reports it.
struct DeviceSlot: Equatable, Sendable {
  /// The image number of the device; 0 if it has one image.
  let image: UInt32
  /// 0 is the running image, 1 the next one.
  let slot: UInt32
  /// The image's version, safe to show.
  let version: String
  /// The hash of the image; `nil` if not reported.
  let hash: [UInt8]?
  let isActive: Bool
  let isConfirmed: Bool
  let isPending: Bool
  let isPermanent: Bool

  init?(_ value: CBORValue) {
    guard let slot = value[ImageKey.slot]?.number32 else { return nil }
    func flag(_ key: StaticString) -> Bool { value[key] == .boolean(true) }
    self.slot = slot
    image = value[ImageKey.image]?.number32 ?? 0
    version = PrintableText.of(value[ImageKey.version]?.string ?? "", limit: 32)
    hash = value[ImageKey.hash]?.byteString
    isActive = flag(ImageKey.active)
    isConfirmed = flag(ImageKey.confirmed)
    isPending = flag(ImageKey.pending)
    isPermanent = flag(ImageKey.permanent)
  }

  /// The slot as text for display.
  var text: String {
    var words = [version.isEmpty ? "an image" : version]
    if isActive { words.append("runs") }
    if isConfirmed { words.append("confirmed") }
    if isPermanent {
      words.append("stays from the next start on")
    } else if isPending {
      words.append("is tried at the next start")
    }
    return words.joined(separator: ", ")
  }
}

/// MCUmgr's image group, with one method for each request. Responses of firmware and of MCUboot's serial
/// recovery are the same, but for what the latter leaves out.
struct DeviceImages {
  /// The client that carries the requests.
  let client: SMPClient
  /// A client of the same transport with a longer timeout, for requests that erase flash before the response.
  let patientClient: SMPClient

  /// The longest packet that is sent, even if the device accepts longer ones.
  static let longestPacket = 1024
  /// Length and checksum around a packet on a serial line.
  static let framing = 4
  /// The packet length for a device that does not report its maximum; MCUboot's serial recovery accepts more.
  static let cautiousPacket = 256
  /// The header and all of the map but the bytes of the image: in the first packet, and in those that follow.
  static let firstOverhead = SMPHeader.size + 68
  static let overhead = SMPHeader.size + 19
  /// How often in a row a device may want the same bytes again.
  static let mostStandstills = 8

  private func malformed(_ request: ManagementRequest, _ what: String) -> HostLinkError {
    ManagementFailure.malformed(what).error(request, at: client.location)
  }

  /// What is in the slots.
  func state() throws(HostLinkError) -> [DeviceSlot] {
    let request = ManagementRequest("its images", .read, .image, ImageCommand.state)
    return try slots(try client.ask(request), request)
  }

  private func slots(_ answer: CBORValue, _ request: ManagementRequest) throws(HostLinkError) -> [DeviceSlot]
  {
    guard case .array(let items) = answer[ImageKey.images] else { throw malformed(request, "no list") }
    return items.prefix(16).compactMap { DeviceSlot($0) }
  }

  /// The maximum length of a packet in bytes. The value reported by a device may include the length and the
  /// checksum of the serial framing, which are therefore subtracted.
  func packetSize() throws(HostLinkError) -> Int {
    let request = ManagementRequest("how long a packet may be", .read, .os, OSCommand.parameters)
    do {
      guard let size = try client.ask(request)[SMPKey.bufferSize]?.number32 else {
        return Self.cautiousPacket
      }
      let sealing = client.isSealed ? HostSession.requestOverhead : 0
      return min(max(Int(size) - Self.framing - sealing, 128 - Self.framing - sealing), Self.longestPacket)
    } catch {
      guard error.cause == .refused else { throw error }
      return Self.cautiousPacket
    }
  }

  /// Sends an image, or the missing part of it, from the offset that the device returns.
  /// - Returns: whether the device has verified the SHA-256 of the received image; `nil` if it does not
  ///   report it.
  func upload(_ bytes: [UInt8], packetSize: Int, progress: (Int, Int) -> Void) throws(HostLinkError) -> Bool?
  {
    let digest = SHA256.digest(of: bytes.span)
    var offset = 0
    var standstills = 0
    while true {
      let room = packetSize - (offset == 0 ? Self.firstOverhead : Self.overhead)
      let piece = Array(bytes[offset..<min(bytes.count, offset + room)])
      let isFirst = offset == 0
      let request = ManagementRequest(
        "to take an image", .write, .image, ImageCommand.upload, isRepeatable: true
      ) { writer in
        writer.map(isFirst ? 4 : 2)
        writer.key(.offset)
        writer.unsigned(UInt32(clamping: offset))
        writer.key(.data)
        writer.byteString(piece.span)
        guard isFirst else { return }
        writer.key(.length)
        writer.unsigned(UInt32(clamping: bytes.count))
        writer.text(ImageKey.sha)
        writer.byteString(digest.span)
      }
      let answer = try (isFirst ? patientClient : client).ask(request)
      guard let next = answer[SMPKey.offset]?.number32, next <= bytes.count else {
        throw malformed(request, "an invalid offset")
      }
      progress(Int(next), bytes.count)
      if next == bytes.count {
        if case .boolean(let match) = answer[ImageKey.match] { return match }
        return nil
      }
      standstills = Int(next) > offset ? 0 : standstills + 1
      guard standstills < Self.mostStandstills else {
        throw malformed(request, "the same offset again and again")
      }
      offset = Int(next)
    }
  }

  /// Has the image with this hash started next: once, or from then on. Without a hash what runs stays.
  func plan(_ hash: [UInt8]?, isPermanent: Bool) throws(HostLinkError) -> [DeviceSlot] {
    let subject = hash == nil ? "to keep what runs" : "to start the image"
    let request = ManagementRequest(subject, .write, .image, ImageCommand.state, isRepeatable: true) {
      writer in
      writer.map(hash == nil ? 1 : 2)
      if let hash {
        writer.text(ImageKey.hash)
        writer.byteString(hash.span)
      }
      writer.text(ImageKey.confirm)
      writer.boolean(hash == nil || isPermanent)
    }
    return try slots(try client.ask(request), request)
  }

  /// Empties the second slot.
  func erase() throws(HostLinkError) {
    _ = try patientClient.ask(
      ManagementRequest("to erase its second slot", .write, .image, ImageCommand.erase, isRepeatable: true))
  }

  /// Restarts the device.
  func reset() throws(HostLinkError) {
    _ = try client.ask(ManagementRequest("to restart", .write, .os, OSCommand.reset, isRepeatable: false))
  }
}
