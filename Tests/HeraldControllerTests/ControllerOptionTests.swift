import ArgumentParser
import HeraldBluetooth
import HeraldLinux
import Testing

@testable import herald_controller

@Suite("Options of herald-controller")
struct ControllerOptionTests {
  private static let required = ["--air", "run:3", "--hci", "tcp:0"]

  private func complaint(_ arguments: [String]) -> String? {
    do {
      _ = try HeraldControllerCommand.parse(arguments)
      return nil
    } catch {
      return HeraldControllerCommand.message(for: error)
    }
  }

  @Test("The medium and the host are required, all else has a default")
  func required() throws {
    let command = try HeraldControllerCommand.parse(Self.required)
    #expect(command.air == PhyAddress(simulation: "run", device: 3))
    #expect(
      command.hci?.port == 0 && !command.edtt && command.seed == 1 && command.drift == 0 && command.poll == 1
        && command.address == nil)
    #expect(complaint(["--air", "run:3"])?.contains("--hci") == true)
    #expect(complaint(Self.required + ["--edtt"])?.contains("--edtt") == true)
    #expect(try HeraldControllerCommand.parse(["--air", "run:3", "--edtt"]).edtt)
    #expect(try HeraldControllerCommand.parse(["--air", "run:3", "--usbip", "0"]).usbip == 0)
    #expect(complaint(Self.required + ["--usbip", "3240"])?.contains("--usbip") == true)
    #expect(complaint(["--hci", "tcp:1"])?.contains("--air") == true)
  }

  @Test("An address is six bytes, the most significant first")
  func address() throws {
    let command = try HeraldControllerCommand.parse(Self.required + ["--address", "12:34:56:78:9a:BC"])
    #expect(command.address?.address == DeviceAddress(high: 0x1234, low: 0x5678_9ABC, kind: .public))
    let none = try HeraldControllerCommand.parse(Self.required + ["--address", "none"])
    #expect(none.address?.address == .zero)
    for text in [
      "", "12:34:56:78:9A", "12:34:56:78:9A:BC:DE", "123456789ABC", "12:34:56:78:9A:G0", "+1:2:3:4:5:6",
    ] {
      #expect(complaint(Self.required + ["--address", text])?.contains("XX:XX:XX:XX:XX:XX") == true)
    }
  }

  @Test("Values outside their range are refused", arguments: [-501, 501])
  func drift(value: Int) throws {
    #expect(complaint(Self.required + ["--drift", "\(value)"])?.contains("--drift") == true)
    #expect(try HeraldControllerCommand.parse(Self.required + ["--drift", "-500"]).drift == -500)
  }

  @Test("The time between two looks at the host is limited", arguments: [0, -1, 101])
  func poll(value: Int) throws {
    #expect(complaint(Self.required + ["--poll=\(value)"])?.contains("--poll") == true)
    #expect(try HeraldControllerCommand.parse(Self.required + ["--poll", "100"]).poll == 100)
  }
}
