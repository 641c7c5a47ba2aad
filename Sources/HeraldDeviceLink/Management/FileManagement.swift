import HeraldCrypto
import HeraldEmbedded
import HeraldHAL

/// Group 8: the log as files to be read, as in MCUmgr's file group.
enum FileManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: inout SMPRequest, open: inout LogFile, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, FileCommand.hashTypes) { return hashTypes(&request) }
    if request.asks(.write, FileCommand.close) {
      open = LogFile()
      request.answer.map(0)
      return .answered
    }
    guard request.header.operation == .read, request.header.command <= FileCommand.hash else {
      return .failure(.unsupported)
    }
    guard let fields = FileRequest(request), fields.name.count > 0 else {
      return .failure(.invalid)
    }
    let isTransfer = request.header.command == FileCommand.transfer
    let file: LogFile
    switch find(fields, isTransfer: isTransfer, request, open: &open, device: &device) {
    case .success(let found): file = found
    case .failure(let failure): return .failure(failure)
    }
    if isTransfer { return download(fields, file, &request, device: &device) }
    if request.header.command == FileCommand.status { return status(file, &request) }
    return hash(fields, file, &request, device: &device)
  }

  /// The file that a request names. A download has the contents at its beginning, whatever was appended
  /// since.
  private static func find<Device: ManagedDevice & ~Copyable>(
    _ fields: FileRequest, isTransfer: Bool, _ request: borrowing SMPRequest, open: inout LogFile,
    device: inout Device
  ) -> Result<LogFile, SMPFailure> {
    let name = request.span(fields.name)
    if isTransfer, fields.offset ?? 0 > 0, open.isNamed(name) {
      return device.logReadableBytes(sequence: open.first) == nil ? .failure(.fileChanged) : .success(open)
    }
    device.commitLog(at: request.now)
    guard let file = LogFile(named: name, of: &device) else { return .failure(.noSuchFile) }
    if isTransfer { open = file }
    return .success(file)
  }

  /// `{"name"}` → `{"len"}`
  private static func status(_ file: LogFile, _ request: inout SMPRequest) -> SMPOutcome {
    request.answer.map(1)
    request.answer.field(.length, file.length)
    return .answered
  }

  /// `{"name", "off"}` → `{"off", "data", "len"?}`: the length with the first bytes only.
  private static func download<Device: ManagedDevice & ~Copyable>(
    _ fields: FileRequest, _ file: LogFile, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard let offset = fields.offset else { return .failure(.invalid) }
    guard offset <= file.length else { return .failure(.beyondFile) }
    request.answer.map(offset == 0 ? 3 : 2)
    request.answer.field(.offset, offset)
    if offset == 0 {
      request.answer.field(.length, file.length)
    }
    request.answer.key(.data)
    let room = request.answer.stringRoom
    guard room > 0 else { return .failure(.tooLong) }
    let count = Int(min(UInt32(clamping: room), file.length &- offset))
    request.answer.byteStringHead(count)
    guard count > 0 else { return .answered }
    var data = request.answer.space(count)
    return file.read(offset: offset, into: &data, of: &device) ? .answered : .failure(.fileUnreadable)
  }

  /// `{"name", "type"?, "off"?, "len"?}` → `{"type", "off"?, "len", "output"}`; CRC-32 unless another is
  /// named.
  private static func hash<Device: ManagedDevice & ~Copyable>(
    _ fields: FileRequest, _ file: LogFile, _ request: inout SMPRequest, device: inout Device
  ) -> SMPOutcome {
    guard fields.hash != .unknown else { return .failure(.noSuchHash) }
    let offset = fields.offset ?? 0
    guard file.length > 0 else { return .failure(.fileEmpty) }
    guard offset <= file.length else { return .failure(.beyondFile) }
    let count = min(fields.length ?? UInt32.max, file.length &- offset)
    var sums = LogFileSums()
    guard sums.take(file, offset, count, fields.hash, of: &device) else { return .failure(.fileUnreadable) }
    request.answer.map(offset == 0 ? 3 : 4)
    request.answer.text(FileKey.type)
    request.answer.text(fields.hash == .sha256 ? FileKey.sha256 : FileKey.crc32)
    if offset > 0 {
      request.answer.field(.offset, offset)
    }
    request.answer.field(.length, count)
    request.answer.text(FileKey.output)
    if fields.hash == .sha256 {
      request.answer.byteString(sums.digest.span)
    } else {
      request.answer.unsigned(sums.crc)
    }
    return .answered
  }

  /// `{}` → `{"types": {"crc32": {"format": 0, "size": 4}, "sha256": {"format": 1, "size": 32}}}`
  private static func hashTypes(_ request: inout SMPRequest) -> SMPOutcome {
    request.answer.map(1)
    request.answer.text(FileKey.types)
    request.answer.map(2)
    for isBytes in 0..<2 {
      request.answer.text(isBytes == 1 ? FileKey.sha256 : FileKey.crc32)
      request.answer.map(2)
      request.answer.text(FileKey.format)
      request.answer.unsigned(UInt32(truncatingIfNeeded: isBytes))
      request.answer.text(FileKey.size)
      request.answer.unsigned(UInt32(isBytes == 1 ? 32 : 4))
    }
    return .answered
  }
}

/// A hash or checksum of a stretch of a file.
private struct LogFileSums: BitwiseCopyable {
  var digest: [32 of UInt8] = .init(repeating: 0)
  var crc: UInt32 = 0

  /// Reads the stretch; `false` if it cannot be read.
  mutating func take<Device: ManagedDevice & ~Copyable>(
    _ file: LogFile, _ start: UInt32, _ count: UInt32, _ type: FileRequest.Hash, of device: inout Device
  ) -> Bool {
    var sha = SHA256()
    var sum = CRC32()
    var piece: [64 of UInt8] = .init(repeating: 0)
    var done: UInt32 = 0
    while done < count {
      let size = Int(min(count &- done, 64))
      var room = piece.mutableSpan
      var part = room._mutatingExtracting(0..<size)
      guard file.read(offset: start &+ done, into: &part, of: &device) else { return false }
      if type == .sha256 {
        sha.update(piece.span.extracting(0..<size))
      } else {
        sum.add(piece.span.extracting(0..<size))
      }
      done &+= UInt32(truncatingIfNeeded: size)
    }
    sha.finish(into: &digest)
    crc = sum.value
    return true
  }
}

/// The fields of a file request.
struct FileRequest: BitwiseCopyable {
  /// A hash or checksum.
  enum Hash: UInt8, BitwiseCopyable {
    case crc32, sha256, unknown
  }

  var name = SMPBytes()
  var offset: UInt32?
  var length: UInt32?
  var hash = Hash.crc32

  /// From a request's map; `nil` if that is malformed, or a value is of another type. Other keys are skipped.
  @inline(never)
  init?(_ request: borrowing SMPRequest) {
    var reader = CBORReader(request.body)
    guard var entries = reader.map() else { return nil }
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      if SMPKey(key) == .name {
        guard let text = reader.text() else { return nil }
        let count = text.count
        name = SMPBytes(start: SMPHeader.size &+ reader.offset &- count, count: count)
      } else if key.equals(FileKey.type) {
        guard let text = reader.text() else { return nil }
        hash = text.equals(FileKey.sha256) ? .sha256 : text.equals(FileKey.crc32) ? .crc32 : .unknown
      } else if SMPKey(key) == .offset {
        guard let value = reader.unsigned32() else { return nil }
        offset = value
      } else if SMPKey(key) == .length {
        guard let value = reader.unsigned32() else { return nil }
        length = value
      } else {
        guard reader.skip() else { return nil }
      }
    }
  }
}
