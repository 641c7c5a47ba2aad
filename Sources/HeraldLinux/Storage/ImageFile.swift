import Glibc
import HeraldDeviceLink

/// A firmware image slot in two files: the image, and beside it the planned action. The image is never
/// started, as this machine has no boot loader: the slot serves to test hosts and tools.
package struct ImageFile: ~Copyable {
  private let file: FileDescriptor
  private let planPath: String
  private let capacity: UInt32

  /// Opens the file at `path`, or creates it, for images of at most `capacity` bytes.
  package init(path: String, capacity: UInt32 = 1 << 20) throws(SystemFailure) {
    let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw SystemFailure("open", path, code: errno) }
    file = FileDescriptor(number)
    planPath = path + ".plan"
    self.capacity = capacity
  }

  /// The maximum size of an image in bytes.
  package func imageCapacity() -> UInt32 { capacity }

  /// The size of the stored image in bytes.
  package func imageSize() -> UInt32 {
    var state = stat()
    guard fstat(file.number, &state) == 0 else { return 0 }
    return UInt32(clamping: state.st_size)
  }

  /// Erases the image and its planned action.
  package func eraseImage() -> Bool {
    _ = unlink(planPath)
    return ftruncate(file.number, 0) == 0
  }

  /// Appends bytes to the image.
  package func appendImage(_ bytes: Span<UInt8>) -> Bool {
    let size = imageSize()
    guard UInt32(clamping: bytes.count) <= capacity &- min(size, capacity) else { return false }
    let written = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(size)) }
    return written == bytes.count
  }

  /// Reads bytes of the image from `offset` on.
  package func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    let count = buffer.count
    return buffer.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, off_t(offset)) }
      == count
  }

  /// The planned action for the image.
  package func imagePlan() -> ImagePlan {
    let plan = FileDescriptor(open(planPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
    var byte: UInt8 = 0
    guard plan.isOpen, read(plan.number, &byte, 1) == 1 else { return .none }
    return ImagePlan(rawValue: byte) ?? .none
  }

  /// Stores the planned action. The image and the action are written to the disk.
  package func planImage(_ plan: ImagePlan) -> Bool {
    let note = FileDescriptor(open(planPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600))
    var byte = plan.rawValue
    return note.isOpen && write(note.number, &byte, 1) == 1 && fsync(file.number) == 0
      && fsync(note.number) == 0
  }
}
