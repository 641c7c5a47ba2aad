import Foundation
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// Files that people write, and the mistakes in them.
@Suite("Payload files and provisioning files")
struct ProvisioningFileTests {
  private func payload(_ text: String) throws(HostLinkError) -> PayloadFile.Content {
    try PayloadFile(YAMLFields(text, file: "/place/payload.yml")).content
  }

  private func complaint(_ text: String) -> String {
    do {
      _ = try payload(text)
      return "taken"
    } catch {
      return error.cause == .usage ? error.what : "\(error.cause)"
    }
  }

  @Test("Every family is read")
  func families() throws {
    #expect(
      try payload("family: fixed\ncountry: 826\nstate: 4\nidentifier: 1234567890")
        == .fixed(country: 826, state: 4, .number(1_234_567_890)))
    #expect(
      try payload("family: fixed\ncountry: 826\nidentifier: random")
        == .fixed(country: 826, state: 0, .random))
    #expect(
      try payload("family: simple\ncountry: 826\nsecret: a/{serial}.secret")
        == .simple(
          country: 826, state: 0, secret: "/place/a/{serial}.secret", from: .today, days: 90, epoch: .phones))
    #expect(
      try payload("family: simple\ncountry: 1\nsecret: /s\nfrom: 2026-11-22\ndays: 7\nepoch: 2026-01-01")
        == .simple(
          country: 1, state: 0, secret: "/s", from: .on(1_795_305_600), days: 7,
          epoch: KeyScheduleEpoch(unixSeconds: 1_767_225_600)))
    #expect(
      try payload("family: venue\ncountry: 826\nstate: 4\ncode: 123123\nname: Erin's Stakehouse")
        == .venue(country: 826, state: 4, code: 123_123, name: "Erin's Stakehouse"))
    #expect(try payload("family: test\nidentifier: -42") == .test(identifier: -42, length: 129))
    #expect(try payload("family: bytes\nbytes: \"91 01 02FF\"") == .bytes([0x91, 1, 2, 0xFF]))
    #expect(try payload("family: none") == .none)
  }

  @Test("Mistakes are named with their file, line and field")
  func mistakes() {
    #expect(complaint("family: simple\ncountry: 826") == "/place/payload.yml has no field secret")
    #expect(
      complaint("family: fixed\ncountry: 70000\nidentifier: 1")
        == "/place/payload.yml, line 2: country is a whole number from 0 to 65535")
    #expect(
      complaint("family: fixed\ncountry: 1\nidentifier: 0").contains(
        "line 3: identifier is a number from 1 on"))
    #expect(complaint("family: other").contains("line 1: family is fixed, simple"))
    #expect(
      complaint("family: none\ncountry: 1")
        == "/place/payload.yml, line 2: nothing is known of a field country")
    #expect(
      complaint("family: venue\ncountry: 1\ncode: 1\nname: \(String(repeating: "x", count: 256))").contains(
        "255"))
    #expect(
      complaint("family: simple\ncountry: 1\nsecret: s\ndays: 91").contains(
        "line 4: days is a number from 1 to 90"))
    #expect(
      complaint("family: simple\ncountry: 1\nsecret: s\nfrom: 22.11.2026").contains("yyyy-mm-dd, or today"))
    #expect(complaint("family: bytes\nbytes: \"9\"").contains("hexadecimal"))
    #expect(complaint("family: bytes\nbytes: \"\"").contains("1 to 510 bytes"))
    #expect(complaint("family: [fixed]").contains("is a single value"))
    #expect(complaint("family: fixed\nfamily: test").contains("yml"))
    #expect(complaint("- a\n- b").contains("has no fields"))
    #expect(complaint("").contains("has no fields"))
    #expect(complaint("a: b: c: [").contains("is no YAML"))
    #expect(complaint("&a [*a]").contains("yml"))
  }

  @Test("A provisioning file says what is to be, and leaves the rest alone")
  func provisioning() throws {
    func file(_ text: String) throws(HostLinkError) -> ProvisionFile {
      try ProvisionFile(YAMLFields(text, file: "/place/p.yml"))
    }
    let all = try file(
      "access-key: keys/{serial}.key\ntime: false\nsettings:\n  radio/setting: saver\n  log/keep-days: 7\npayload:\n  family: none\n"
    )
    #expect(all.accessKey == "/place/keys/{serial}.key" && !all.setsTime)
    #expect(all.settings.map(\.name) == ["log/keep-days", "radio/setting"])
    #expect(all.settings.map(\.value) == ["7", "saver"] && all.payload?.content == PayloadFile.Content.none)
    let nothing = try file("time: true")
    #expect(
      nothing.accessKey == nil && nothing.settings.isEmpty && nothing.payload == nil && nothing.setsTime)
    #expect(throws: HostLinkError.self) { try file("acces-key: x") }
    #expect(throws: HostLinkError.self) { try file("settings: 7") }
    #expect(throws: HostLinkError.self) {
      try file("payload:\n  family: fixed\n  country: 1\n  identifier: 1\n  colour: red")
    }
    #expect(throws: HostLinkError.self) { try file("time: perhaps") }
  }

  @Test("A field is named with its own line, not with that of its value")
  func lines() {
    func complaint(_ text: String) -> String {
      do throws(HostLinkError) {
        _ = try ProvisionFile(YAMLFields(text, file: "/place/p.yml"))
        return "taken"
      } catch { return error.what }
    }
    #expect(
      complaint("settngs:\n  log/keep-days: 7\n")
        == "/place/p.yml, line 1: nothing is known of a field settngs")
    #expect(
      complaint("time: true\nsettings:\n  - 7\n") == "/place/p.yml, line 2: settings has fields of its own")
    #expect(
      complaint("time: true\npayload:\n  family: none\n  colour:\n    - red\n")
        == "/place/p.yml, line 4: nothing is known of a field colour")
  }

  @Test("A misspelt field is named with its line and the known field that is nearest, at every level")
  func misspelt() {
    func error(_ text: String) -> String {
      do throws(HostLinkError) {
        _ = try ProvisionFile(YAMLFields(text, file: "p.yml"))
        return "taken"
      } catch { return error.description }
    }
    #expect(
      error("time: true\npayload:\n  famly: fixed\n  country: 1\n")
        == "p.yml, line 3: nothing is known of a field famly: did you mean family?")
    #expect(
      error("payload:\n  family: fixed\n  contry: 1\n  identifier: 1\n")
        == "p.yml, line 3: nothing is known of a field contry: did you mean country?")
    #expect(
      error("payload:\n  family: fixed\n  country: 1\n  identifier: 1\n  stat: 2\n")
        == "p.yml, line 5: nothing is known of a field stat: did you mean state?")
    #expect(
      error("\nsettngs:\n  log/keep-days: 7\n")
        == "p.yml, line 2: nothing is known of a field settngs: did you mean settings?")
    #expect(
      error("time: true\ncolour: red\n")
        == "p.yml, line 2: nothing is known of a field colour: known here are access-key, owner-key, payload, settings, time"
    )
    #expect(
      error("time: true\npayload:\n  country: 1\n")
        == "p.yml, line 2: payload has no field family: see the valid files in Examples")
    #expect(
      error("settings:\n  log/keep-days: 7\n  log/keep-day: 8\n")
        == "p.yml, line 3: there is no setting log/keep-day: did you mean log/keep-days?")
    #expect(
      error("settings:\n  log/keep-days: many\n").hasPrefix(
        "p.yml, line 2: log/keep-days is not to be many: "))
    #expect(error("time: true\npayload: [\n").contains(": this is no YAML: "))
    #expect(
      error("payload: x\ntime: true\ntime: no\n").hasSuffix(
        ": the field time is there twice: remove one of the two"))
  }

  @Test("A small text that a parser would expand or descend into without end is refused before")
  func bounds() {
    var bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for (name, former) in zip("bcdefghij", "abcdefghi") {
      bomb += "\(name): &\(name) [\(Array(repeating: "*\(former)", count: 9).joined(separator: ","))]\n"
    }
    #expect(complaint(bomb) == "/place/payload.yml, line 2: there are more than 4 aliases")
    #expect(complaint(bomb.replacingOccurrences(of: "\n", with: "\u{2028}")).contains("aliases"))
    #expect(
      complaint("a: " + String(repeating: "[", count: 1000)).contains("line 1: there are more than 256"))
    #expect(complaint(String(repeating: "- ", count: 1000)).contains("line 1: it is nested too deeply"))
    #expect(complaint(String(repeating: "? ", count: 1000)).contains("nested too deeply"))
    #expect(complaint("a:\n" + String(repeating: " ", count: 200) + "b: c").contains("line 2: it is nested"))
    #expect(complaint(String(repeating: "# x\n", count: 20_000)).contains("more than 65536 bytes"))
    #expect(complaint("family: none\n\n# ** \(String(repeating: "* - [", count: 40))\n") == "taken")
  }

  @Test("A payload that several devices would have in common is refused, of each family, unless it is meant")
  func sameForAll() throws {
    let families = [
      "family: fixed\ncountry: 1\nidentifier: 7", "family: venue\ncountry: 1\ncode: 7",
      "family: test\nidentifier: 7", "family: bytes\nbytes: \"91\"",
      "family: simple\ncountry: 1\nsecret: one.secret",
    ]
    for text in families {
      let file = try PayloadFile(YAMLFields(text, file: "/place/p.yml"))
      let error = #expect(throws: HostLinkError.self) { try file.refuseSameForAll(isForSeveral: true) }
      #expect(error?.what.contains("nobody could tell who was met") == true && error?.cause == .usage)
      try file.refuseSameForAll(isForSeveral: false)
      guard !file.hasSecret else {
        #expect(complaint(text + "\nshared: true").contains("line 4: shared is not for the simple family"))
        continue
      }
      try PayloadFile(YAMLFields(text + "\nshared: true", file: "/place/p.yml"))
        .refuseSameForAll(isForSeveral: true)
    }
    for text in [
      "family: fixed\ncountry: 1\nidentifier: random", "family: none",
      "family: simple\ncountry: 1\nsecret: '{serial}.secret'",
    ] {
      try PayloadFile(YAMLFields(text, file: "/place/p.yml")).refuseSameForAll(isForSeveral: true)
    }
  }

  @Test("The examples in the repository are right, and there is one of each family")
  func examples() throws {
    let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Examples").path
    var families: Set<String> = []
    for name in try FileManager.default.contentsOfDirectory(atPath: examples + "/Payloads") {
      let path = "\(examples)/Payloads/\(name)"
      _ = try PayloadFile(path: path)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix("# ") && text.contains("\nfamily: \(name.dropLast(4))\n"))
      families.insert(String(name.dropLast(4)))
    }
    #expect(families == ["fixed", "simple", "venue", "test", "bytes", "none"])
    let provision = try ProvisionFile(path: examples + "/provision.yml")
    try provision.payload?.refuseSameForAll(isForSeveral: true)
    #expect(provision.accessKey != nil && provision.payload != nil && !provision.settings.isEmpty)
    for (name, value) in provision.settings {
      let setting = try SettingText.setting(named: name)
      _ = try SettingText.number(value, of: setting)
    }
  }
}
