import CZstd
import HeraldHostLink

/// Pages as the column `page.bytes` has them: each one as a Zstandard frame (RFC 8878) of its own.
///
/// The coded blocks of a page cannot be compressed, but payloads that occur again and its erased end can.
final class PageFrame {
  /// The maximum size of a page in bytes; the largest pages of known flash have 64 KB.
  static let mostBytes = 1 << 20
  private static let level: Int32 = 6

  private let compression = ZSTD_createCCtx()
  private let decompression = ZSTD_createDCtx()

  deinit {
    ZSTD_freeCCtx(compression)
    ZSTD_freeDCtx(decompression)
  }

  /// The frame of a page.
  /// - Throws: `.storage` if there is no memory for it.
  func frame(of page: [UInt8]) throws(HostLinkError) -> [UInt8] {
    let most = ZSTD_compressBound(page.count)
    var isDone = false
    let frame = [UInt8](unsafeUninitializedCapacity: most) { room, count in
      guard let compression else { return }
      let size = page.withUnsafeBytes {
        ZSTD_compressCCtx(compression, room.baseAddress, most, $0.baseAddress, page.count, Self.level)
      }
      isDone = ZSTD_isError(size) == 0
      count = isDone ? size : 0
    }
    guard isDone else { throw HostLinkError(.storage, "there is no memory for a page") }
    return frame
  }

  /// The page of a frame; `nil` if the frame is damaged, or its page is larger than `size`.
  func page(in frame: [UInt8], size: Int) -> [UInt8]? {
    guard let decompression, (0...Self.mostBytes).contains(size) else { return nil }
    var isDone = false
    let page = [UInt8](unsafeUninitializedCapacity: size) { room, count in
      let written = frame.withUnsafeBytes {
        ZSTD_decompressDCtx(decompression, room.baseAddress, size, $0.baseAddress, frame.count)
      }
      isDone = ZSTD_isError(written) == 0
      count = isDone ? written : 0
    }
    return isDone && page.count == size ? page : nil
  }
}
