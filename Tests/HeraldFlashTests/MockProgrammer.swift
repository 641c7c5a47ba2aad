import HeraldHostLink

@testable import HeraldFlash
@testable import HeraldImages

/// A programming method that does as it is told, and notes what it was asked.
final class MockProgrammer: Programmer {
  let location = "mock:1"
  var identification: BoardIdentification
  var writeFailure: FlashFailure?
  var verifyFailure: FlashFailure?
  var resetFailure: FlashFailure?
  var stateHalfWay = FlashFailure.BoardState.partlyWritten
  private(set) var asked: [String] = []

  init(_ names: String..., isLocked: Bool = false) {
    identification = BoardIdentification(
      boards: names.compactMap(BoardCatalogue.named), details: [("Chip", "made up")], isLocked: isLocked)
  }

  func identify() throws(FlashFailure) -> BoardIdentification {
    asked.append("identify")
    return identification
  }

  func write(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    asked.append("write \(plan.board.name)\(plan.erasesAll ? " all" : "")")
    progress(FlashProgress(.writing, done: plan.image.byteCount, total: plan.image.byteCount))
    if let writeFailure { throw writeFailure }
  }

  func verify(_ plan: FlashPlan, progress: (FlashProgress) -> Void) throws(FlashFailure) {
    asked.append("verify")
    if let verifyFailure { throw verifyFailure }
  }

  func erase(_ scope: EraseScope, of board: BoardDescription, progress: (FlashProgress) -> Void)
    throws(FlashFailure)
  {
    asked.append("erase")
  }

  func reset() throws(FlashFailure) {
    asked.append("reset")
    if let resetFailure { throw resetFailure }
  }

  func close() { asked.append("close") }
}

extension FirmwareImage {
  /// An image with a vector table at `address`, and behind it `text` and zeros.
  static func linked(
    at address: UInt32, stack: UInt32 = 0x2000_0C00, size: Int = 256, text: String = ""
  ) throws -> FirmwareImage {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: stack)
    bytes.append(littleEndian: address + 0x41)
    bytes += [0x01] + Array(text.utf8)
    bytes += [UInt8](repeating: 0, count: size - bytes.count)
    return try FirmwareImage(format: .intelHex, pieces: [.init(address: address, bytes: bytes)])
  }
}
