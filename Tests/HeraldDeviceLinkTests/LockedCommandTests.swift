import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import Testing

/// Which requests a locked device, and a device in set-up, responds to.
@Suite("Access control: commands of a locked device")
struct LockedCommandTests {
  private let status = hex("08000001 0048 0005 A0")

  /// Every command that a device knows, and whether it needs the key: operation (0 read, 2 write), group,
  /// command. One that is added has to be added here, as the test below asks for every number there is.
  private static let commands: [(operation: UInt8, group: UInt16, command: UInt8, needsKey: Bool)] = [
    (0, 0, 0, false), (2, 0, 0, false),  // echo
    (0, 0, 4, false), (2, 0, 4, true),  // date-time
    (2, 0, 5, true),  // reset
    (0, 0, 6, false),  // parameters
    (0, 0, 7, false),  // information
    (0, 0, 8, true),  // boot loader
    // Images: state, test or confirm, upload, erase, slot info.
    (0, 1, 0, false), (2, 1, 0, true), (2, 1, 1, true), (2, 1, 5, true), (0, 1, 6, false),
    (0, 2, 0, false), (0, 2, 1, false),  // statistics: read, list
    (0, 3, 0, true), (2, 3, 0, true),  // a setting
    // Settings: delete, commit, load, save.
    (2, 3, 1, true), (2, 3, 2, true), (0, 3, 3, true), (2, 3, 3, true),
    // Files: download, upload, status, hash, kinds of hash, close.
    (0, 8, 0, true), (2, 8, 0, true), (0, 8, 1, true), (0, 8, 2, true), (0, 8, 3, true), (2, 8, 4, true),
    (0, 72, 0, false), (2, 72, 0, true),  // status of the log; and that once it has been committed
    (0, 72, 1, true),  // pages of the log
    (0, 72, 2, false),  // restart report
    (0, 72, 3, false), (2, 72, 3, false),  // factory reset
    (2, 72, 4, true),  // acknowledgement
    (0, 72, 5, false), (2, 72, 5, false),  // access
    (0, 72, 6, true),  // live
    (0, 72, 7, true),  // payload
    (0, 72, 8, true),  // the log as a stream
    (2, 72, 9, true),  // end of a session
    (2, 72, 10, true),  // signal of a collection
  ]

  @Test(
    "while locked, each command is served or refused as docs/security.md has it, and what is not named is refused"
  )
  func locked() {
    for group in [UInt16](0...80) + [0xFFFF] {
      for command in 0...UInt8.max {
        for operation in [0, 2] as [UInt8] {
          let packet =
            [0x08 | operation, 0, 0, 1, UInt8(group >> 8), UInt8(group & 0xFF), 0, command, 0xA0] as [UInt8]
          var open = LockedDevice()
          open.device.accessKey = []
          open.device.takesPayloads = true
          open.device.report = RestartReport(cause: .powerOn)
          // Not supported: general code 8.
          let isKnown = open.ask(packet) != hex("A1 62 7263 08")
          let entry = Self.commands.first { $0 == (operation, group, command, $0.needsKey) }
          #expect(
            isKnown == (entry != nil),
            "\(operation) \(group) \(command) is not in the table, or in it for nothing")
          var locked = LockedDevice()
          let isRefused = locked.ask(packet) == (group == 72 ? refusal(8) : accessDenied)
          #expect(isRefused == (entry?.needsKey ?? true), "\(operation) \(group) \(command)")
          var new = LockedDevice()
          new.device.accessKey = []
          new.device.staysOpen = false
          let isLog =
            Self.logCommands.contains { $0 == (operation, group, command) }
            || (group == 8 && !(operation == 2 && command == 0) && command < 16)
          #expect(
            (new.ask(packet) == (group == 72 ? refusal(12) : accessDenied)) == isLog,
            "\(operation) \(group) \(command) in set-up")
        }
      }
    }
  }

  /// What a device that is being set up refuses, beside reading files: reads of the log, live events, the
  /// acknowledgement.
  private static let logCommands: [(operation: UInt8, group: UInt16, command: UInt8)] = [
    (2, 72, 0), (0, 72, 1), (0, 72, 6), (0, 72, 8), (2, 72, 4),
  ]

  @Test("a device that is being set up serves its log once it was told to stay open, or in a session")
  func setUp() {
    var new = LockedDevice()
    new.device.accessKey = []
    new.device.staysOpen = false
    let read = hex("0800000600480008 A1 63 736571 03")
    check(new.ask(status) == accessState(false, false, nonce: 1) && new.ask(read) == refusal(12))
    check(new.ask(hex("0000000600480008 A1 63 736571 03")) == hex("A1 62 7263 0B"), "version 1")
    // {"name": "access/stay-open", "val": 01}
    let told = hex("A2 64 6E616D65 70") + Array("access/stay-open".utf8) + hex("63 76616C 41 01")
    check(new.ask(hex("0A00001D00030000") + told) == [0xA0])
    check(new.ask(status) == accessState(false, true, nonce: 2) && new.ask(read).last == 0xEF)
    new.device.accessKey = new.key
    check(new.ask(read) == refusal(8), "with a key the setting counts for nothing")
    check(new.ask(status) == accessState(true, false, nonce: 3) && new.unlock().count == 41)
    check(new.exchange(read)?.last == 0xEF)
  }

  @Test(
    "a locked device refuses by the general code 11, access denied, in version 1 and in the groups of MCUmgr")
  func former() {
    var locked = LockedDevice()
    check(locked.ask(hex("02000001 0000 0005 A0")) == hex("A1 62 7263 0B") && locked.device.restarts == 0)
    check(locked.ask(hex("0A000001 0000 0005 A0")) == accessDenied && locked.device.restarts == 0)
    check(locked.ask(hex("00000001 0048 0008 A0")) == accessDenied)
    check(locked.unlock().count == 41)
    check(locked.exchange(hex("02000001 0000 0005 A0")) == [0xA0] && locked.device.restarts == 1)
  }
}
