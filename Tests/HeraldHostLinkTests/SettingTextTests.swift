import HeraldEmbedded
import HeraldHostLink
import Testing

@Suite("Settings in the words of people")
struct SettingTextTests {
  @Test("Names lead to settings, and unknown ones to a list of those there are")
  func names() throws {
    #expect(SettingText.all.count == Setting.count)
    for setting in SettingText.all {
      #expect(try SettingText.setting(named: SettingText.name(of: setting)) == setting)
    }
    let error = #expect(throws: HostLinkError.self) { try SettingText.setting(named: "keep-days") }
    #expect(error?.cause == .usage && error?.advice?.contains("log/keep-days") == true)
  }

  @Test("Values are numbers within their range, or names")
  func values() throws {
    #expect(try SettingText.number("14", of: .keepDays) == 14)
    #expect(try SettingText.number("saver", of: .radioSetting) == 0)
    #expect(try SettingText.number("2", of: .radioSetting) == 2)
    for (text, setting) in [
      ("3651", Setting.keepDays), ("-1", .keepDays), ("", .keepDays), ("saver", .keepDays),
      ("5", .radioSetting), ("2", .scanWindow),
    ] {
      let error = #expect(throws: HostLinkError.self) { try SettingText.number(text, of: setting) }
      #expect(error?.cause == .usage)
    }
    #expect(SettingText.text(14, of: .keepDays) == "14 days")
    #expect(SettingText.text(250, of: .advertisingInterval) == "250 ms")
    #expect(SettingText.text(1, of: .radioSetting) == "default")
    #expect(SettingText.range(of: .scanInterval) == "3 to 10240 ms")
    #expect(SettingText.range(of: .radioSetting) == "saver, default, dense, balanced, steady")
  }

  @Test("A secret is neither taken from a command line nor described")
  func secrets() {
    let error = #expect(throws: HostLinkError.self) {
      try SettingText.number("00112233445566778899aabbccddeeff", of: .accessKey)
    }
    #expect(error?.what.contains("0011") == false && error?.advice?.contains("FILE") == true)
    #expect(SettingText.range(of: .accessKey) == "a file of 32 bytes")
  }
}
