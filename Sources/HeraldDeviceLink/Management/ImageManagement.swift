import HeraldEmbedded

/// Group 1: the image for the next start, as in MCUmgr's image group.
///
/// Slot 0 has the running image and is read-only; slot 1 receives an image. The boot loader starts it, which
/// is not implemented here.
enum ImageManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, ImageCommand.state) { return state(&request, device: &device) }
    if request.asks(.read, ImageCommand.slotInfo) { return slotInfo(&request, device.imageCapacity()) }
    guard request.header.operation == .write else { return .failure(.unsupported) }
    guard let fields = ImageRequest(request) else { return .failure(.invalid) }
    switch request.header.command {
    case ImageCommand.state: return plan(fields, &request, device: &device)
    case ImageCommand.upload: return upload(fields, &request, device: &device)
    case ImageCommand.erase: return erase(fields, &request, device: &device)
    default: return .failure(.unsupported)
    }
  }

  /// `{}` → `{"images": [{"slot", "version", "hash"?, "bootable", "pending"?, "confirmed"?, "active"?,
  /// "permanent"?}, …], "splitStatus": 0}`
  private static func state<Device: ManagedDevice & ~Copyable>(
    _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    let found = SlotImage.read(&device)
    let plan = device.imagePlan()
    var version = RunningVersion(&device)
    var hash: [32 of UInt8] = .init(repeating: 0)
    var room = hash.mutableSpan
    let hasHash = device.copyRunningHash(into: &room)
    request.answer.map(2)
    request.answer.text(ImageKey.images)
    var count = 1
    if case .success = found { count = 2 }
    request.answer.array(count)
    request.answer.map(hasHash ? 6 : 5)
    request.answer.text(ImageKey.slot)
    request.answer.unsigned(UInt32(0))
    request.answer.text(ImageKey.version)
    request.answer.text(version.text)
    if hasHash {
      request.answer.text(ImageKey.hash)
      request.answer.byteString(hash.span)
    }
    put(ImageKey.bootable, &request.answer)
    put(ImageKey.confirmed, &request.answer)
    put(ImageKey.active, &request.answer)
    if case .success(let image) = found { put(image, plan, &version, &request.answer) }
    request.answer.text(ImageKey.splitStatus)
    request.answer.unsigned(UInt32(0))
    return .answered
  }

  /// `{}` → `{"images": [{"image": 0, "slots": [{"slot": 1, "size"}], "max_image_size"}]}`. The size of the
  /// running slot is not known here.
  private static func slotInfo(_ request: inout SMPRequest, _ capacity: UInt32) -> SMPOutcome {
    request.answer.map(1)
    request.answer.text(ImageKey.images)
    request.answer.array(1)
    request.answer.map(3)
    request.answer.text(ImageKey.image)
    request.answer.unsigned(UInt32(0))
    request.answer.text(ImageKey.slots)
    request.answer.array(1)
    request.answer.map(2)
    request.answer.text(ImageKey.slot)
    request.answer.unsigned(UInt32(1))
    request.answer.text(ImageKey.size)
    request.answer.unsigned(capacity)
    request.answer.text(ImageKey.mostBytes)
    request.answer.unsigned(capacity)
    return .answered
  }

  private static func put(_ key: StaticString, _ writer: inout CBORWriter) {
    writer.text(key)
    writer.boolean(true)
  }

  @inline(never)
  private static func put(
    _ image: SlotImage, _ plan: ImagePlan, _ text: inout RunningVersion, _ writer: inout CBORWriter
  ) {
    writer.map(3 &+ (image.header.isBootable ? 1 : 0) &+ Int(plan.rawValue))
    writer.text(ImageKey.slot)
    writer.unsigned(UInt32(1))
    writer.text(ImageKey.version)
    text.set(image.header)
    writer.text(text.text)
    writer.text(ImageKey.hash)
    writer.byteString(image.hash.span)
    if image.header.isBootable { put(ImageKey.bootable, &writer) }
    if plan != .none { put(ImageKey.pending, &writer) }
    if plan == .permanent { put(ImageKey.permanent, &writer) }
  }

  /// `{"hash"?, "confirm"?}` → as read. Without a hash the running image is meant, which does not change.
  private static func plan<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard let hash = fields.hash else {
      guard fields.confirm else { return .failure(.badImageHash) }
      return state(&request, device: &device)
    }
    guard hash.count == 32 else { return .failure(.badImageHash) }
    // Some tools confirm the running image by its hash.
    if fields.confirm, isRunning(hash, request, &device) { return state(&request, device: &device) }
    switch SlotImage.read(&device) {
    case .failure(let failure): return .failure(failure)
    case .success(let image):
      for index in 0..<32 where image.hash[index] != request.span(hash)[index] {
        return .failure(.noImageHash)
      }
    }
    // Not all that is in the slot was uploaded since there is a key.
    guard SlotImage.isTrusted(&device) else { return .failure(.imageNotSigned) }
    guard device.planImage(fields.confirm ? .permanent : .test) else { return .failure(.imageNotWritten) }
    return state(&request, device: &device)
  }

  /// Whether a hash of 32 bytes is that of the running image.
  private static func isRunning<Device: ManagedDevice & ~Copyable>(
    _ hash: SMPBytes, _ request: borrowing SMPRequest, _ device: inout Device
  ) -> Bool {
    var running: [32 of UInt8] = .init(repeating: 0)
    var room = running.mutableSpan
    guard device.copyRunningHash(into: &room) else { return false }
    for index in 0..<32 where running[index] != request.span(hash)[index] { return false }
    return true
  }

  /// `{"slot"?: 1}` → `{}`
  private static func erase<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard fields.slot ?? 1 == 1 else { return .failure(.noSuchSlot) }
    guard device.imagePlan() == .none else { return .failure(.imagePending) }
    device.imageUpload = ImageUpload()
    guard device.eraseImage() else { return .failure(.imageNotErased) }
    request.answer.map(0)
    return .answered
  }

  /// `{"off", "data", "len"?, "sha"?, "image"?, "upgrade"?}` → `{"off": where to go on, "match"?}`. A part
  /// that is not the next one changes nothing, and the response has the offset to continue at; likewise for
  /// the first part of an interrupted upload with the same SHA-256.
  private static func upload<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard let offset = fields.offset else { return .failure(.noImageOffset) }
    guard fields.image ?? 0 == 0 else { return .failure(.noSuchSlot) }
    if offset == 0, !goesOn(fields, request, &device) {
      if let failure = begin(fields, request, &device) { return .failure(failure) }
    }
    let size = device.imageUpload.isActive ? device.imageSize() : 0
    var match: Bool?
    if device.imageUpload.isActive, offset == size {
      let length = device.imageUpload.length
      guard UInt32(clamping: fields.data.count) <= length &- size else { return .failure(.imageOverrun) }
      guard append(fields, request, &device) else {
        device.imageUpload = ImageUpload()
        return .failure(.imageNotWritten)
      }
      if size &+ UInt32(clamping: fields.data.count) == length {
        match = finish(&device)
        if match != false, !SlotImage.isTrusted(&device) {
          _ = device.eraseImage()
          return .failure(.imageNotSigned)
        }
      }
      return answer(size &+ UInt32(clamping: fields.data.count), match, &request)
    }
    return answer(size, nil, &request)
  }

  private static func append<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: borrowing SMPRequest, _ device: inout Device
  ) -> Bool {
    device.appendImage(request.span(fields.data))
  }

  private static func answer(_ offset: UInt32, _ match: Bool?, _ request: inout SMPRequest)
    -> SMPOutcome
  {
    request.answer.map(match == nil ? 1 : 2)
    request.answer.field(.offset, offset)
    if let match {
      request.answer.text(ImageKey.match)
      request.answer.boolean(match)
    }
    return .answered
  }

  /// Whether this is the upload in progress.
  private static func goesOn<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: borrowing SMPRequest, _ device: inout Device
  ) -> Bool {
    let upload = device.imageUpload
    guard upload.isActive, upload.hasHash, let hash = fields.sha, hash.count == 32,
      fields.length == upload.length, device.imageSize() > 0
    else { return false }
    for index in 0..<32 where upload.hash[index] != request.span(hash)[index] { return false }
    return true
  }

  /// Begins an upload in an emptied slot; returns the error, if any.
  @inline(never)
  private static func begin<Device: ManagedDevice & ~Copyable>(
    _ fields: ImageRequest, _ request: borrowing SMPRequest, _ device: inout Device
  ) -> SMPFailure? {
    guard let length = fields.length else { return .noImageLength }
    guard fields.data.count >= ImageHeader.size else { return .shortImage }
    guard let header = ImageHeader(request.span(fields.data)) else { return .notAnImage }
    guard length <= device.imageCapacity() else { return .imageTooLarge }
    guard device.imagePlan() == .none else { return .imagePending }
    if fields.upgrade {
      let version = RunningVersion(&device)
      guard header.isNewer(than: ImageVersion(version.text)) else { return .imageNotNewer }
    }
    var upload = ImageUpload()
    upload.length = length
    upload.isActive = true
    if let hash = fields.sha {
      guard hash.count == 32 else { return .badImageHash }
      upload.hasHash = true
      for index in 0..<32 { upload.hash[index] = request.span(hash)[index] }
    }
    device.imageUpload = ImageUpload()
    guard device.eraseImage() else { return .imageNotErased }
    device.imageUpload = upload
    return nil
  }

  /// Ends an upload: whether its bytes have the announced hash, if any. If not, the slot is emptied.
  @inline(never)
  private static func finish<Device: ManagedDevice & ~Copyable>(_ device: inout Device) -> Bool? {
    let upload = device.imageUpload
    device.imageUpload = ImageUpload()
    guard upload.hasHash else { return nil }
    var digest: [32 of UInt8] = .init(repeating: 0)
    var isRight = SlotImage.digest(of: upload.length, in: &device, into: &digest)
    for index in 0..<32 where digest[index] != upload.hash[index] { isRight = false }
    if !isRight { _ = device.eraseImage() }
    return isRight
  }
}

/// The upload in progress; all zero bits while there is none.
public struct ImageUpload: BitwiseCopyable, Sendable {
  var hash: [32 of UInt8] = .init(repeating: 0)
  /// Bytes of the whole.
  var length: UInt32 = 0
  var isActive = false
  var hasHash = false
  private var spare: UInt16 = 0

  public init() {}
}

/// A version as text, at first that of what runs.
private struct RunningVersion: BitwiseCopyable {
  private var bytes: [28 of UInt8] = .init(repeating: 0)
  private var count = 0

  init<Device: ManagedDevice & ~Copyable>(_ device: inout Device) {
    var room = bytes.mutableSpan
    count = min(max(device.information(.kernelRelease, into: &room), 0), 28)
  }

  var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<count) }
  }

  /// "1.2.3", and ".4" behind it if there is a build.
  mutating func set(_ header: ImageHeader) {
    count = 0
    put(UInt32(header.major))
    dot()
    put(UInt32(header.minor))
    dot()
    put(UInt32(header.revision))
    guard header.build > 0 else { return }
    dot()
    put(header.build)
  }

  private mutating func dot() {
    bytes[count] = UInt8(ascii: ".")
    count &+= 1
  }

  /// Ten digits at the most; all four numbers and their dots are 24.
  private mutating func put(_ number: UInt32) {
    var divisor: UInt32 = 1
    while number / divisor >= 10 { divisor &*= 10 }
    var rest = number
    while divisor > 0 {
      bytes[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / divisor)
      count &+= 1
      rest %= divisor
      divisor /= 10
    }
  }
}
