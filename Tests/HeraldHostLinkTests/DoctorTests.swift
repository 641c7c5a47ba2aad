import Foundation
import Testing

@testable import HeraldHostLink

/// What the doctor finds on computers that are trees of files.
@Suite("Doctor")
struct DoctorTests {
  /// A computer as it should be; each test takes something away.
  private final class Computer {
    let root = TemporaryFolder()

    init() throws {
      try FileManager.default.createDirectory(
        atPath: root.path + "/dev/bus/usb", withIntermediateDirectories: true)
      try write("/etc/udev/rules.d/70-herald.rules", LibUSB.udevRule + "\n")
      try write("/etc/group", "root:x:0:\nplugdev:x:46:anna\n")
      try write("/proc/1/comm", "systemd\n")
    }

    func write(_ path: String, _ text: String) throws {
      let file = URL(fileURLWithPath: root.path + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: root.path + path) }

    func examination(user: UInt32 = 1000, groups: Set<UInt32> = [1000, 46]) -> MachineExamination {
      MachineExamination(root: root.path, userID: user, groupIDs: groups)
    }

    func found(_ subject: String, user: UInt32 = 1000, groups: Set<UInt32> = [1000, 46]) -> Finding? {
      examination(user: user, groups: groups).findings().first { $0.subject == subject }
    }
  }

  @Test("On a computer as it should be everything is good")
  func healthy() throws {
    let computer = try Computer()
    let findings = computer.examination().findings()
    #expect(findings.map(\.subject) == ["usb", "udev-rule", "group", "modem-manager"])
    #expect(findings.allSatisfy { $0.verdict == .good && $0.advice == nil })
  }

  @Test("What is missing is named, with what to do")
  func missing() throws {
    let computer = try Computer()
    try computer.write("/proc/77/comm", "ModemManager\n")
    #expect(computer.found("modem-manager")?.verdict == .good)
    try computer.write("/etc/udev/rules.d/70-herald.rules", "# another\nSUBSYSTEM==\"usb\"\n")
    #expect(computer.found("udev-rule")?.what.contains("is not what this version") == true)
    #expect(computer.found("modem-manager")?.verdict == .problem)
    try computer.remove("/etc/udev/rules.d/70-herald.rules")
    #expect(computer.found("udev-rule")?.verdict == .problem)
    #expect(computer.found("udev-rule")?.advice?.contains("doctor --fix") == true)
    #expect(computer.found("udev-rule", user: 0)?.verdict == .note)
    try computer.write("/usr/lib/udev/rules.d/70-herald.rules", "# as a package has it\n\n" + LibUSB.udevRule)
    #expect(computer.found("udev-rule")?.verdict == .good)
    #expect(computer.found("group", groups: [1000])?.verdict == .note)
    #expect(computer.found("group", user: 0, groups: [0])?.verdict == .good)
    try computer.write("/etc/group", "root:x:0:\n")
    #expect(computer.found("group")?.what.contains("no group plugdev") == true)
    try computer.remove("/dev/bus")
    #expect(computer.found("usb")?.verdict == .problem)
  }

  @Test("The fix writes the rule that is looked for, for all to read, and nothing else")
  func fix() throws {
    let computer = try Computer()
    try computer.remove("/etc/udev/rules.d/70-herald.rules")
    #expect(try computer.examination().installRule() == ["wrote /etc/udev/rules.d/70-herald.rules"])
    #expect(computer.found("udev-rule")?.verdict == .good)
    let path = computer.root.path + MachineExamination.rulePath
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: computer.root.path + "/etc/udev/rules.d").count == 1
    )
    // A system without that folder gets it.
    try computer.remove("/etc/udev")
    #expect(try computer.examination(user: 0).installRule() == ["wrote /etc/udev/rules.d/70-herald.rules"])
    #expect(computer.found("udev-rule")?.verdict == .good)
    // Where there can be none, nothing is done.
    try computer.remove("/etc/udev")
    try computer.write("/etc/udev", "a file")
    #expect(throws: HostLinkError.self) { try computer.examination().installRule() }
  }

  private func findings(_ device: FakeDevice, now: UInt64 = 1_795_327_200_000) -> [String: Finding] {
    let client = SMPClient(
      transport: DirectTransport { device.answer($0) },
      timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1))
    let found = DeviceExamination.findings(of: DeviceClient(client), now: now)
    return Dictionary(uniqueKeysWithValues: found.map { ($0.subject, $0) })
  }

  @Test("A device's clock and log are judged")
  func device() {
    let device = FakeDevice(pages: 3)
    #expect(findings(device)["device"]?.verdict == .good)
    #expect(findings(device)["clock"]?.what.contains("was not set") == true)
    #expect(findings(device)["log"]?.what == "its log has 3 pages, and none was ever overwritten")
    device.unix = 1_795_327_200_500
    #expect(findings(device)["clock"]?.verdict == .good)
    device.unix = 1_795_327_200_000 - 120_000
    #expect(findings(device)["clock"]?.what == "its clock is 2 min 0 s behind this computer's")
    device.unix = 4_294_967_295_000
    #expect(findings(device)["clock"]?.verdict == .problem)
    // What a device does not say of its pages is not known.
    device.first = 2
    #expect(findings(device)["log"]?.verdict == .note && findings(device)["log"]?.advice == nil)
    // After a trim nothing was overwritten.
    (device.capacity, device.overwrittenPages) = (256, 0)
    #expect(
      findings(device)["log"]
        == Finding(
          "log", .good,
          "its log has 2 pages of 256; those before number 2 are erased, and none was overwritten since it started"
        ))
    device.overwrittenPages = 4
    #expect(
      findings(device)["log"]?.what == "its log has 2 pages of 256, and 4 were overwritten since it started")
    #expect(findings(device)["log"]?.verdict == .note)
  }

  @Test("A debug port that is open is named, one of which nothing is known is not")
  func debugPort() throws {
    let device = FakeDevice(pages: 3)
    #expect(findings(device)["debug-port"] == nil)
    device.isDebugPortOpen = true
    #expect(findings(device)["debug-port"]?.verdict == .note)
    #expect(findings(device)["debug-port"]?.advice?.contains("herald-flash lock") == true)
    device.isDebugPortOpen = false
    #expect(findings(device)["debug-port"]?.what == "its debug port is closed")
  }

  @Test("The room that a log has left is judged where the device says how much there is")
  func room() {
    let device = FakeDevice(pages: 3)
    device.capacity = 256
    #expect(findings(device)["log"]?.what == "its log has 3 pages of 256, and none was ever overwritten")
    for (capacity, verdict) in [(4, Finding.Verdict.good), (3, .note), (33, .good)] {
      device.capacity = capacity
      #expect(findings(device)["log"]?.verdict == verdict, "3 pages of \(capacity)")
    }
    let full = FakeDevice(pages: 29)
    full.capacity = 32
    #expect(findings(full)["log"]?.what == "its log has 29 pages of 32: the oldest are overwritten soon")
    full.capacity = 33
    #expect(findings(full)["log"]?.verdict == .good)
    // A lie changes nothing.
    full.capacity = 2
    #expect(findings(full)["log"]?.what.hasPrefix("its log has 29 pages: ") == true)
  }

  @Test("The battery is as full as the log said last")
  func battery() {
    func finding(_ levels: (UInt8, Bool)...) -> Finding? {
      DeviceExamination.battery(
        levels.map { level, external in
          BootRecord(
            epoch: 1, boot: 1, uptimeMilliseconds: 0, event: .battery(level: level, external: external))
        } + [BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: 1, event: .started(reason: 0))])
    }
    #expect(finding() == nil)
    #expect(finding((10, false), (21, false))?.verdict == .good)
    #expect(finding((21, false), (20, false))?.verdict == .note)
    #expect(finding((6, false))?.verdict == .note && finding((5, false))?.verdict == .problem)
    #expect(finding((5, true))?.what == "its battery was at 5 %, with external power when it looked last")
    #expect(finding((5, true))?.verdict == .good)
  }

  @Test("For that the last two pages are fetched, piece by piece, and no more than is there is accepted")
  func newestPages() throws {
    func pages(_ device: FakeDevice) throws -> [[UInt8]] {
      let client = SMPClient(
        transport: DirectTransport { device.answer($0) },
        timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1))
      let device = DeviceClient(client)
      return try device.newestPages(device.logStatus())
    }
    let device = FakeDevice(pages: 5)
    #expect(try pages(device) == [FakeDevice.page(4, count: 256), FakeDevice.page(5, count: 60)])
    #expect(try pages(FakeDevice(pages: 1)) == [FakeDevice.page(1, count: 60)])
    for fault in [FakeDevice.Fault.tooMuch, .noData, .garbage] {
      device.fault = fault
      #expect(throws: HostLinkError.self) { try pages(device) }
      #expect(findings(device)["device"]?.verdict == .problem)
    }
  }

  @Test("Damaged settings and faults are told of")
  func wear() {
    #expect(
      DeviceExamination.settings(DeviceSettingsHealth(damagedPages: 0, flashErrors: 0)).verdict == .good)
    #expect(
      DeviceExamination.settings(DeviceSettingsHealth(damagedPages: 1, flashErrors: 0)).verdict == .problem)
    #expect(
      DeviceExamination.settings(DeviceSettingsHealth(damagedPages: 0, flashErrors: 2)).what.contains(
        "2 times"))
  }

  @Test("A device that does not answer is a finding, too")
  func silent() {
    let client = SMPClient(
      transport: DirectTransport { _ in [] },
      timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1))
    let found = DeviceExamination.findings(of: DeviceClient(client))
    #expect(found.count == 1 && found.first?.verdict == .problem && found.first?.subject == "device")
  }
}
