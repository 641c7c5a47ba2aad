import CZstd

/// Compresses pages by libzstd.
final class Zstandard {
  private let context: OpaquePointer?
  /// Of a day of readings it leaves 5 % less than level 9; higher levels leave hardly less.
  private static let level: Int32 = 12

  init() { context = ZSTD_createCCtx() }
  deinit { ZSTD_freeCCtx(context) }

  /// The bytes as one Zstandard frame; `nil` if there is no memory for it.
  func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let context else { return nil }
    let most = ZSTD_compressBound(bytes.count)
    var isDone = false
    let frame = [UInt8](unsafeUninitializedCapacity: most) { room, count in
      let size = bytes.withUnsafeBytes {
        ZSTD_compressCCtx(context, room.baseAddress, most, $0.baseAddress, bytes.count, Self.level)
      }
      isDone = ZSTD_isError(size) == 0
      count = isDone ? size : 0
    }
    return isDone ? frame : nil
  }
}
