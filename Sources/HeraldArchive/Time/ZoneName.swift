import Foundation
import HeraldHostLink
import HeraldText

/// Finds time zones as the C library does: by names of the time zone database, paths of its files, rules of
/// POSIX, and the file `/etc/localtime`.
struct ZoneName {
  /// The value of the environment variable TZ.
  var environment = ProcessInfo.processInfo.environment["TZ"]
  /// The file or link with the zone of this computer.
  var localTime = "/etc/localtime"
  /// The file with its name, where there is one.
  var nameFile = "/etc/timezone"
  /// The folders of the time zone database.
  var folders =
    [ProcessInfo.processInfo.environment["TZDIR"]].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } } + [
      "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo",
    ]

  /// The date from which a rule alone has to be right for a zone to be called by it: 2020-01-01, before the
  /// first version of Herald.
  private static let ruleBegin = Int64(PlausibleDate.earliest / 1000)

  /// The zone of this computer, as `LocalDays` takes it: TZ, or else `/etc/localtime`, or else UTC.
  /// - Throws: `.usage` if it cannot be understood.
  func system() throws(HostLinkError) -> String {
    if let environment { return environment.isEmpty ? "UTC" : try zone(environment, "TZ is") }
    var status = stat()
    // localtime(5): without the file, the zone is UTC.
    guard lstat(localTime, &status) == 0 else {
      guard errno == ENOENT else { throw Self.unknown("\(localTime) cannot be read") }
      return "UTC"
    }
    return try zone(localTime, "the time zone of this computer is that of")
  }

  /// What `LocalDays` takes for a text of a person: the name or rule itself, or what stands for a path.
  /// - Throws: `.usage` if there is no such zone.
  func named(_ text: String) throws(HostLinkError) -> String { try zone(text, "the time zone is") }

  private func zone(_ text: String, _ what: String) throws(HostLinkError) -> String {
    let text = text.hasPrefix(":") ? String(text.dropFirst()) : text
    guard text.hasPrefix("/") else {
      if Self.isUTC(text) { return "UTC" }
      if file(named: text) != nil || ZoneRule(text) != nil { return text }
      throw Self.unknown("\(what) \(Self.quoted(text))")
    }
    let target = Self.target(of: text)
    if let name = name(ofPath: target) { return name }
    let named = Self.quoted(text) + (target == text ? "" : ", a link to \(Self.quoted(target))")
    guard let zone = ZoneFile.bytes(ofFile: text).flatMap(ZoneFile.init) else {
      throw Self.unknown("\(what) \(named)")
    }
    if let data = ZoneFile.bytes(ofFile: nameFile) {
      let name = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      if Self.isName(name), file(named: name) == zone { return Self.isUTC(name) ? "UTC" : name }
    }
    guard let rule = ZoneRule(zone.footer),
      LocalDays(zone: "", zone).agrees(with: LocalDays(zone: "", rule), from: Self.ruleBegin)
    else { throw Self.unknown("\(what) \(named), which does not say its name") }
    return zone.footer == "UTC0" ? "UTC" : zone.footer
  }

  /// The path to which a link leads, as it says it; the path itself if it is none.
  private static func target(of path: String) -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &bytes, bytes.count - 1)
    guard count > 0 else { return path }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The name that the path of a file of the database has; `nil` if this computer does not have the zone.
  private func name(ofPath path: String) -> String? {
    for folder in folders + ["/zoneinfo"] {
      guard let range = path.range(of: folder + "/", options: .backwards) else { continue }
      let name = String(path[range.upperBound...])
      if Self.isUTC(name) { return "UTC" }
      if file(named: name) != nil { return name }
    }
    return nil
  }

  /// The file of a zone by its name; `nil` if this computer does not have it.
  func file(named name: String) -> ZoneFile? {
    guard Self.isName(name) else { return nil }
    for folder in folders {
      if let file = ZoneFile.bytes(ofFile: "\(folder)/\(name)").flatMap(ZoneFile.init) { return file }
    }
    return nil
  }

  /// Names of UTC that need no time zone database.
  private static func isUTC(_ name: String) -> Bool { ["UTC", "Etc/UTC", "UTC0"].contains(name) }

  /// Whether a text can be a name of the database, which is a path below its folder.
  private static func isName(_ text: String) -> Bool {
    let isText = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || [0x2B, 0x2D, 0x2F, 0x5F].contains($0)
    }
    return isText && !text.isEmpty && text.utf8.count <= 255 && !text.hasPrefix("/")
  }

  private static func quoted(_ text: String) -> String { "\"\(PrintableText.of(text, limit: 100))\"" }

  static func unknown(_ what: String) -> HostLinkError {
    HostLinkError(
      .usage, "\(what), and this computer knows no such time zone",
      advice:
        "name it with --zone: Europe/Berlin, which needs the package tzdata, or a rule, which needs nothing: CET-1CEST,M3.5.0,M10.5.0/3"
    )
  }
}
