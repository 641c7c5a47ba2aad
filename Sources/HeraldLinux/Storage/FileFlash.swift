import Glibc
import HeraldHAL

/// Flash memory in a file, with the rules of flash: pages are erased to ones as a whole, and an erased word
/// is programmed once.
///
/// **Durability.** The file is mapped shared: a completed operation survives any termination of the process,
/// because the kernel holds the pages. A crash of the kernel or a loss of power may lose what
/// `FlashSynchroniser` has not written yet, and the kernel writes pages in any order. This is sufficient for
/// a log whose pages are decoded independently: a page that was not written is read as torn and does not
/// affect the others. The caller synchronises periodically; a barrier after every word would wear out an SD
/// card.
///
/// The file's blocks are allocated at creation, so that a full disk causes an error then and no signal later.
/// The file is locked, as concurrent writing by two processes would corrupt the log.
package struct FileFlash: Flash, ~Copyable {
  /// The size of a page in bytes.
  package let pageSize: Int
  /// The number of pages.
  package let pageCount: Int
  /// The size of a word in bytes.
  package let wordSize: Int

  private let file: FileDescriptor
  private let base: UnsafeMutableRawPointer

  /// Opens the file at `path`, or creates it with erased pages.
  ///
  /// - Parameters:
  ///   - pageSize: the size of a page in bytes, a multiple of `wordSize`.
  ///   - pageCount: the number of pages; `nil` selects that of the file, or 256 for a new one. A file of
  ///     another size is refused.
  ///   - wordSize: the size of a word in bytes: 1, 2, 4 or 8.
  package init(path: String, pageSize: Int = 4096, pageCount: Int? = nil, wordSize: Int = 4)
    throws(SystemFailure)
  {
    guard [1, 2, 4, 8].contains(wordSize), pageSize > 0, pageSize % wordSize == 0, (pageCount ?? 1) > 0 else {
      throw SystemFailure(
        "use", path,
        reason:
          "\(pageCount ?? 0) pages of \(pageSize) bytes in words of \(wordSize) bytes are not a valid size")
    }
    let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else {
      throw SystemFailure(
        "open", path, code: errno,
        advice: errno == ELOOP
          ? "it is a symbolic link, and nothing is written through it: move it away"
          : "the storage directory must be writable")
    }
    let file = FileDescriptor(number)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      throw SystemFailure(
        "lock", path, code: errno,
        advice: "another process uses this storage directory: end it, or name another")
    }
    var state = stat()
    guard fstat(number, &state) == 0 else { throw SystemFailure("look at", path, code: errno) }
    let found = Int(state.st_size)
    let pages = pageCount ?? (found == 0 ? 256 : found / pageSize)
    let (size, overflow) = pages.multipliedReportingOverflow(by: pageSize)
    guard found == 0 || (found == size && pages > 0), !overflow else {
      throw SystemFailure(
        "use", path, reason: "it has \(found) bytes, not \(pages) pages of \(pageSize)",
        advice: "give the size with which it was created, or move it away to create a new log")
    }
    if found == 0 {
      let outcome = posix_fallocate(number, 0, off_t(size))
      guard outcome == 0 else {
        _ = ftruncate(number, 0)
        throw SystemFailure("allocate \(size) bytes for", path, code: outcome)
      }
    }
    guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0), base != MAP_FAILED else {
      throw SystemFailure("map", path, code: errno)
    }
    if found == 0 { memset(base, 0xFF, size) }
    self.pageSize = pageSize
    self.pageCount = pages
    self.wordSize = wordSize
    self.file = file
    self.base = base
  }

  deinit {
    msync(base, pageSize * pageCount, MS_SYNC)
    munmap(base, pageSize * pageCount)
    // A child process that is being started holds a copy of this descriptor until it calls `exec`, and
    // closing ours would leave the lock with that copy.
    flock(file.number, LOCK_UN)
  }

  /// The synchroniser of this flash, a separate value, so that the flash can be moved into a log.
  package func makeSynchroniser() throws(SystemFailure) -> FlashSynchroniser {
    let copy = FileDescriptor(fcntl(file.number, F_DUPFD_CLOEXEC, 0))
    guard copy.isOpen else { throw SystemFailure("use", "the flash's file a second time", code: errno) }
    return FlashSynchroniser(file: copy)
  }

  private func address(page: Int, offset: Int, count: Int) throws(FlashError) -> UnsafeMutableRawPointer {
    guard page >= 0, page < pageCount, offset >= 0, count >= 0, offset <= pageSize, count <= pageSize - offset
    else { throw .outOfRange }
    return base + page * pageSize + offset
  }

  private func words(page: Int, offset: Int, count: Int) throws(FlashError) -> UnsafeMutableRawPointer {
    let start = try address(page: page, offset: offset, count: count)
    guard offset % wordSize == 0, count % wordSize == 0 else { throw .misaligned }
    return start
  }

  /// Reads `buffer.count` bytes from `offset` of `page`.
  package mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError)
  {
    let start = try address(page: page, offset: offset, count: buffer.count)
    buffer.withUnsafeMutableBytes { target in
      if let to = target.baseAddress { memcpy(to, start, target.count) }
    }
  }

  /// Programs erased words of `page` from `offset` on.
  package mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    let start = try words(page: page, offset: offset, count: bytes.count)
    for index in 0..<bytes.count where start.load(fromByteOffset: index, as: UInt8.self) != 0xFF {
      throw .notErased
    }
    bytes.withUnsafeBytes { source in
      if let from = source.baseAddress { memcpy(start, from, source.count) }
    }
  }

  /// Sets all bits of the given words to zero, erased or not.
  package mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    memset(try words(page: page, offset: offset, count: count), 0, count)
  }

  /// Erases a page: all its bits become ones.
  package mutating func erase(page: Int) throws(FlashError) {
    memset(try address(page: page, offset: 0, count: pageSize), 0xFF, pageSize)
  }
}

/// Writes the file of a `FileFlash` to its storage medium.
package struct FlashSynchroniser: ~Copyable {
  private let file: FileDescriptor

  init(file: consuming FileDescriptor) { self.file = file }

  /// Writes all completed operations, which then survive a loss of power. Blocks until the medium has
  /// finished.
  package mutating func synchronise() throws(FlashError) {
    // The mapping and the descriptor share the kernel's page cache: data written through the mapping is
    // included.
    guard fdatasync(file.number) == 0 else { throw .hardware }
  }
}
