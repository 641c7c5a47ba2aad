import Foundation

/// Examines the requirements of this computer for Herald devices: Linux, its USB, its rules and groups.
public struct MachineExamination {
  /// The absolute path of the rule.
  public static let rulePath = "/etc/udev/rules.d/70-herald.rules"
  /// The rule folders of systems and packages.
  private static let ruleFolders = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]
  private static let ruleName = "70-herald.rules"

  private let root: String
  private let userID: UInt32
  private let groupIDs: Set<UInt32>

  /// An examination of this computer by the user who runs this program.
  public init() {
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(Int32(groups.count), &groups)
    self.init(
      root: "", userID: geteuid(), groupIDs: Set(groups.prefix(Int(max(0, count)))).union([getegid()]))
  }

  /// An examination of a file tree that represents a computer.
  init(root: String, userID: UInt32, groupIDs: Set<UInt32>) {
    self.root = root
    self.userID = userID
    self.groupIDs = groupIDs
  }

  /// The findings.
  public func findings() -> [Finding] {
    [usbFolder(), rule(), group(), modemManager()] + serialLines()
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: root + path).map {
      String(decoding: $0.prefix(1 << 20), as: UTF8.self)
    }
  }

  private func names(in path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
  }

  // MARK: Checks

  private func usbFolder() -> Finding {
    guard FileManager.default.fileExists(atPath: root + "/dev/bus/usb") else {
      return Finding(
        "usb", .problem, "there is no /dev/bus/usb: this system, or the container this runs in, has no USB",
        advice: "give the container /dev/bus/usb; USB/IP and serial lines work without it")
    }
    return Finding("usb", .good, "/dev/bus/usb is there")
  }

  /// Whether the rule is installed and up to date.
  private func rule() -> Finding {
    let expected = Self.lines(LibUSB.udevRule)
    for folder in Self.ruleFolders {
      let path = "\(folder)/\(Self.ruleName)"
      guard let text = text(path) else { continue }
      guard Self.lines(text) == expected else {
        return Finding(
          "udev-rule", .problem, "\(path) is not what this version of herald-host needs",
          advice: Self.fixAdvice)
      }
      return Finding("udev-rule", .good, "\(path) is installed")
    }
    let isRoot = userID == 0
    return Finding(
      "udev-rule", isRoot ? .note : .problem,
      "the udev rule is not installed\(isRoot ? "; root can do without it" : ", and devices open for root alone")",
      advice: Self.fixAdvice)
  }

  /// The lines of a rule file without comments and blank lines.
  private static func lines(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty && !$0.hasPrefix("#")
    }
  }

  private static let fixAdvice = "`sudo herald-host doctor --fix` installs it"

  /// The rule gives access to the user at the console; other users require a group.
  private func group() -> Finding {
    guard userID != 0 else { return Finding("group", .good, "this is root, who may open every device") }
    guard let identifier = groupID("plugdev") else {
      return Finding(
        "group", .note, "there is no group plugdev: devices open for the person at the console, not over ssh",
        advice: "as root: `groupadd --system plugdev` and `usermod -aG plugdev USER`, then log in again")
    }
    guard groupIDs.contains(identifier) else {
      return Finding(
        "group", .note, "you are not in the group plugdev: devices open for you at the console, not over ssh",
        advice: "as root: `usermod -aG plugdev USER`, then log in again")
    }
    return Finding("group", .good, "you are in the group plugdev")
  }

  private func groupID(_ name: String) -> UInt32? {
    for line in (text("/etc/group") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, fields[0] == name { return UInt32(fields[2]) }
    }
    return nil
  }

  /// ModemManager probes every new serial port, which blocks the port for many seconds.
  private func modemManager() -> Finding {
    let isRunning = names(in: "/proc").contains { name in
      UInt32(name) != nil && text("/proc/\(name)/comm")?.trimmingCharacters(in: .newlines) == "ModemManager"
    }
    guard isRunning else { return Finding("modem-manager", .good, "ModemManager does not run") }
    guard rule().verdict == .good else {
      return Finding(
        "modem-manager", .problem,
        "ModemManager runs, and takes a device's serial port for a while when it is plugged in",
        advice: "the udev rule keeps it away: \(Self.fixAdvice)")
    }
    return Finding("modem-manager", .good, "ModemManager runs, and the udev rule keeps it away")
  }

  private func serialLines() -> [Finding] {
    let lines = names(in: "/dev").filter { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }
    let closed = lines.filter { access("\(root)/dev/\($0)", R_OK | W_OK) != 0 }
    guard let first = closed.first else {
      return lines.isEmpty
        ? [] : [Finding("serial-lines", .good, "\(lines.joined(separator: ", ")) can be opened")]
    }
    return [
      Finding(
        "serial-lines", .note, "no permission for \(closed.map { "/dev/\($0)" }.joined(separator: ", "))",
        advice: "join the group that `ls -l /dev/\(first)` shows, often dialout, and log in again")
    ]
  }

  // MARK: Repairs

  /// Installs the rule and reloads udev. Returns a description of the actions.
  /// - Throws: `.permission` if the user may not write the rule.
  public func installRule() throws(HostLinkError) -> [String] {
    let path = root + Self.rulePath
    // A container, or a small system, may have no folder for rules. The next call reports the error.
    try? FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      let cause: HostLinkError.Cause = errno == EACCES || errno == EPERM ? .permission : .storage
      throw .system(
        cause, "\(Self.rulePath) cannot be written", code: errno,
        advice: "run `sudo herald-host doctor --fix`")
    }
    let bytes = Array((LibUSB.udevRule + "\n").utf8)
    let isWritten = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    // Independent of the umask: udev reads it as root, but it should be readable for users.
    let isDone = isWritten && fchmod(descriptor, 0o644) == 0 && fsync(descriptor) == 0
    Foundation.close(descriptor)
    guard isDone, rename(path + ".part", path) == 0 else {
      unlink(path + ".part")
      throw .system(.storage, "\(Self.rulePath) cannot be written", code: errno)
    }
    var done = ["wrote \(Self.rulePath)"]
    guard root.isEmpty else { return done }
    for arguments in [
      ["control", "--reload"], ["trigger", "--subsystem-match=usb", "--subsystem-match=tty"],
    ] {
      let command = "udevadm \(arguments.joined(separator: " "))"
      done.append(
        Self.run("udevadm", arguments)
          ? "ran `\(command)`" : "could not run `\(command)`: plug devices in again")
    }
    return done
  }

  private static func run(_ name: String, _ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
