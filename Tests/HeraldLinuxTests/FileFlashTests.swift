import Foundation
import HeraldHAL
import Testing

@testable import HeraldLinux

@Suite("Flash in a file")
struct FileFlashTests {
  private func bytes(_ flash: inout FileFlash, page: Int, offset: Int, count: Int) throws(FlashError)
    -> [UInt8]
  {
    var buffer = [UInt8](repeating: 0, count: count)
    var span = buffer.mutableSpan
    try flash.read(page: page, offset: offset, into: &span)
    return buffer
  }

  @Test("a new one is erased, and what is programmed is there when it is opened again")
  func keeps() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/log.flash"
    do {
      var flash = try FileFlash(path: path, pageCount: 4)
      #expect(flash.pageSize == 4096 && flash.pageCount == 4 && flash.wordSize == 4)
      #expect(try bytes(&flash, page: 3, offset: 0, count: 4096).allSatisfy { $0 == 0xFF })
      try flash.program(page: 2, offset: 8, [1, 2, 3, 4].span)
      var synchroniser = try flash.makeSynchroniser()
      try synchroniser.synchronise()
      try flash.clear(page: 0, offset: 4, count: 4)
    }
    var flash = try FileFlash(path: path)
    #expect(flash.pageCount == 4)
    #expect(
      try bytes(&flash, page: 2, offset: 4, count: 12) == [
        255, 255, 255, 255, 1, 2, 3, 4, 255, 255, 255, 255,
      ])
    #expect(try bytes(&flash, page: 0, offset: 0, count: 8) == [255, 255, 255, 255, 0, 0, 0, 0])
    try flash.erase(page: 2)
    #expect(try bytes(&flash, page: 2, offset: 8, count: 4) == [255, 255, 255, 255])
  }

  @Test("a word that is not erased is not programmed, not even in part")
  func notErased() throws {
    let folder = TemporaryFolder()
    var flash = try FileFlash(path: folder.path + "/f", pageCount: 1)
    try flash.program(page: 0, offset: 4, [0, 0, 0, 0].span)
    #expect(throws: FlashError.notErased) {
      try flash.program(page: 0, offset: 0, [1, 1, 1, 1, 1, 1, 1, 1].span)
    }
    #expect(try bytes(&flash, page: 0, offset: 0, count: 8) == [255, 255, 255, 255, 0, 0, 0, 0])
    try flash.clear(page: 0, offset: 0, count: 8)
    #expect(try bytes(&flash, page: 0, offset: 0, count: 8) == [0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test("offsets and lengths are whole words inside a page")
  func bounds() throws {
    let folder = TemporaryFolder()
    var flash = try FileFlash(path: folder.path + "/f", pageSize: 64, pageCount: 2, wordSize: 8)
    let word: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    #expect(throws: FlashError.misaligned) { try flash.program(page: 0, offset: 4, word.span) }
    #expect(throws: FlashError.misaligned) { try flash.program(page: 0, offset: 0, [1, 2, 3, 4].span) }
    #expect(throws: FlashError.misaligned) { try flash.clear(page: 0, offset: 0, count: 4) }
    #expect(throws: FlashError.outOfRange) { try flash.program(page: 0, offset: 64, word.span) }
    #expect(throws: FlashError.outOfRange) { try flash.program(page: 2, offset: 0, word.span) }
    #expect(throws: FlashError.outOfRange) { try flash.program(page: -1, offset: 0, word.span) }
    #expect(throws: FlashError.outOfRange) { try flash.clear(page: 0, offset: -8, count: 8) }
    #expect(throws: FlashError.outOfRange) { try flash.clear(page: 0, offset: 0, count: -8) }
    #expect(throws: FlashError.outOfRange) { try flash.clear(page: 0, offset: 8, count: Int.max) }
    #expect(throws: FlashError.outOfRange) { try flash.erase(page: 2) }
    #expect(throws: FlashError.outOfRange) { try bytes(&flash, page: 1, offset: 60, count: 5) }
    #expect(try bytes(&flash, page: 1, offset: 64, count: 0) == [])
    try flash.program(page: 1, offset: 56, word.span)
    #expect(try bytes(&flash, page: 1, offset: 56, count: 8) == word)
  }

  @Test("a file of another size, a file in use and geometry that is none are refused with a reason")
  func refused() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/f"
    let flash = try FileFlash(path: path, pageCount: 2)
    do {
      _ = try FileFlash(path: path)
      Issue.record("opened twice")
    } catch {
      #expect(error.code == EAGAIN && error.advice.contains("another process uses this storage directory"))
    }
    #expect(flash.pageCount == 2)
    let odd = folder.path + "/odd"
    try Data(repeating: 0xFF, count: 5000).write(to: URL(fileURLWithPath: odd))
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: odd) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: odd, pageCount: 1) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: folder.path + "/g", pageCount: 0) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: folder.path + "/g", pageCount: .max) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: folder.path + "/g", pageSize: 6) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: folder.path + "/g", wordSize: 3) }
    #expect(throws: SystemFailure.self) { _ = try FileFlash(path: folder.path + "/no/such/folder") }
  }
}

@Suite("What the system supplies")
struct SystemTests {
  @Test("the clock starts at zero and does not go back")
  func clock() {
    let clock = SystemClock()
    let first = clock.now
    #expect(first.milliseconds < 60_000)
    #expect(clock.now >= first)
    #expect(SystemClock.unixMilliseconds > 1_700_000_000_000)
  }

  @Test("random words differ, and fill a buffer of any length")
  func random() throws {
    var source = try SystemRandom()
    let words = Set((0..<64).map { _ in source.next() })
    #expect(words.count > 60)
    var bytes = [UInt8](repeating: 0, count: 61)
    var span = bytes.mutableSpan
    source.fill(&span)
    #expect(Set(bytes).count > 20)
  }
}
