import HeraldEmbedded

/// Group 8: the log as files to be read, as MCUmgr's file group has them.
enum FileManagement {
  @inline(never)
  static func respond<Device: ManagedDevice & ~Copyable>(
    to request: SMPRequest, in buffer: inout MutableSpan<UInt8>, open: inout LogFile, device: inout Device
  ) -> SMPOutcome {
    if request.asks(.read, FileCommand.hashTypes) { return hashTypes(in: &buffer) }
    if request.asks(.write, FileCommand.close) {
      open = LogFile()
      var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
      writer.map(0)
      return writer.outcome
    }
    guard request.header.operation == .read, request.header.command <= FileCommand.hash else {
      return .failure(SMPFailure(.unsupported))
    }
    guard let question = FileQuestion(request, in: buffer), question.name.count > 0 else {
      return .failure(SMPFailure(.invalid))
    }
    let isTransfer = request.header.command == FileCommand.transfer
    let file: LogFile
    switch find(question, isTransfer: isTransfer, in: buffer, open: &open, device: &device) {
    case .success(let found): file = found
    case .failure(let failure): return .failure(failure)
    }
    if isTransfer { return download(question, file, in: &buffer, device: &device) }
    if request.header.command == FileCommand.status { return status(file, in: &buffer) }
    return hash(question, file, in: &buffer, device: &device)
  }

  /// The file that a request names. What is being downloaded is what there was when it began, however much has been added since.
  private static func find<Device: ManagedDevice & ~Copyable>(
    _ question: FileQuestion, isTransfer: Bool, in buffer: borrowing MutableSpan<UInt8>, open: inout LogFile,
    device: inout Device
  ) -> Result<LogFile, SMPFailure> {
    let place = question.name
    let name = buffer.span.extracting(place.start..<(place.start &+ place.count))
    if isTransfer, question.offset ?? 0 > 0, open.isNamed(name) {
      return device.logReadableBytes(sequence: open.first) == nil ? .failure(.fileChanged) : .success(open)
    }
    guard let file = LogFile(named: name, of: &device) else { return .failure(.noSuchFile) }
    if isTransfer { open = file }
    return .success(file)
  }

  /// `{"name"}` → `{"len"}`
  private static func status(_ file: LogFile, in buffer: inout MutableSpan<UInt8>) -> SMPOutcome {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(SMPKey.length)
    writer.unsigned(file.length)
    return writer.outcome
  }

  /// `{"name", "off"}` → `{"off", "data", "len"?}`: the length with the first bytes only.
  private static func download<Device: ManagedDevice & ~Copyable>(
    _ question: FileQuestion, _ file: LogFile, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard let offset = question.offset else { return .failure(SMPFailure(.invalid)) }
    guard offset <= file.length else { return .failure(.beyondFile) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(offset == 0 ? 3 : 2)
    writer.text(SMPKey.offset)
    writer.unsigned(offset)
    if offset == 0 {
      writer.text(SMPKey.length)
      writer.unsigned(file.length)
    }
    writer.text(SMPKey.data)
    let room = writer.remaining &- CBORWriter.headSize(UInt32(clamping: writer.remaining))
    guard !writer.overflowed, room > 0 else { return .failure(SMPFailure(.tooLong)) }
    let count = Int(min(UInt32(clamping: room), file.length &- offset))
    writer.byteStringHead(count)
    let start = writer.count
    guard count > 0 else { return .success(start) }
    var data = buffer._mutatingExtracting(start..<(start &+ count))
    guard file.read(offset: offset, into: &data, of: &device) else { return .failure(.fileUnreadable) }
    return .success(start &+ count)
  }

  /// `{"name", "type"?, "off"?, "len"?}` → `{"type", "off"?, "len", "output"}`; CRC-32 unless another is named.
  private static func hash<Device: ManagedDevice & ~Copyable>(
    _ question: FileQuestion, _ file: LogFile, in buffer: inout MutableSpan<UInt8>, device: inout Device
  ) -> SMPOutcome {
    guard question.hash != .unknown else { return .failure(.noSuchHash) }
    let offset = question.offset ?? 0
    guard file.length > 0 else { return .failure(.fileEmpty) }
    guard offset <= file.length else { return .failure(.beyondFile) }
    let count = min(question.length ?? UInt32.max, file.length &- offset)
    var sums = LogFileSums()
    guard sums.take(file, offset, count, question.hash, of: &device) else { return .failure(.fileUnreadable) }
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(offset == 0 ? 3 : 4)
    writer.text(FileKey.type)
    writer.text(question.hash == .sha256 ? FileKey.sha256 : FileKey.crc32)
    if offset > 0 {
      writer.text(SMPKey.offset)
      writer.unsigned(offset)
    }
    writer.text(SMPKey.length)
    writer.unsigned(count)
    writer.text(FileKey.output)
    if question.hash == .sha256 { writer.byteString(sums.digest.span) } else { writer.unsigned(sums.crc) }
    return writer.outcome
  }

  /// `{}` → `{"types": {"crc32": {"format": 0, "size": 4}, "sha256": {"format": 1, "size": 32}}}`
  private static func hashTypes(in buffer: inout MutableSpan<UInt8>) -> SMPOutcome {
    var writer = CBORWriter(buffer._mutatingExtracting(0...), from: SMPHeader.size)
    writer.map(1)
    writer.text(FileKey.types)
    writer.map(2)
    for isBytes in 0..<2 {
      writer.text(isBytes == 1 ? FileKey.sha256 : FileKey.crc32)
      writer.map(2)
      writer.text(FileKey.format)
      writer.unsigned(UInt32(truncatingIfNeeded: isBytes))
      writer.text(FileKey.size)
      writer.unsigned(UInt32(isBytes == 1 ? 32 : 4))
    }
    return writer.outcome
  }
}

/// A hash or checksum of a stretch of a file.
private struct LogFileSums: BitwiseCopyable {
  var digest: [32 of UInt8] = .init(repeating: 0)
  var crc: UInt32 = 0

  /// Reads the stretch; `false` if it cannot be read.
  mutating func take<Device: ManagedDevice & ~Copyable>(
    _ file: LogFile, _ start: UInt32, _ count: UInt32, _ type: FileQuestion.Hash, of device: inout Device
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

/// What a request about a file says.
struct FileQuestion: BitwiseCopyable {
  /// A hash or checksum.
  enum Hash: UInt8, BitwiseCopyable {
    case crc32, sha256, unknown
  }

  var name = ImageQuestion.Place()
  var offset: UInt32?
  var length: UInt32?
  var hash = Hash.crc32

  /// From a request's map; `nil` if that is malformed, or a value is of another type. Other keys are passed over.
  @inline(never)
  init?(_ request: SMPRequest, in buffer: borrowing MutableSpan<UInt8>) {
    var reader = CBORReader(buffer.span.extracting(SMPHeader.size..<request.end))
    guard var entries = reader.map() else { return nil }
    while reader.next(in: &entries) {
      guard let key = reader.text() else { return nil }
      if key.equals(SMPKey.name) {
        guard let text = reader.text() else { return nil }
        let count = text.count
        name = ImageQuestion.Place(start: SMPHeader.size &+ reader.offset &- count, count: count)
      } else if key.equals(FileKey.type) {
        guard let text = reader.text() else { return nil }
        hash = text.equals(FileKey.sha256) ? .sha256 : text.equals(FileKey.crc32) ? .crc32 : .unknown
      } else if key.equals(SMPKey.offset) {
        guard let value = reader.unsigned32() else { return nil }
        offset = value
      } else if key.equals(SMPKey.length) {
        guard let value = reader.unsigned32() else { return nil }
        length = value
      } else {
        guard reader.skip() else { return nil }
      }
    }
  }
}
