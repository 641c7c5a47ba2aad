import Foundation
import HeraldHostLink
import HeraldText

extension WayIn {
  /// Boards with Nordic's open boot loader on a serial port.
  static let serialDFU = WayIn(
    .serialDFU, form: "/dev/NAME of the boot loader's serial port", find: { findSerialDFU($0) }
  ) { rest, options throws(FlashFailure) in
    do throws(HostLinkError) {
      // A page is erased and written within a second; the last one has all of it checked.
      return SerialDFUProgrammer(
        try ByteStream.openTerminal(rest), location: "serial-dfu:\(PrintableText.of(rest, limit: 256))",
        patience: max(options.timeout, .seconds(10)))
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
  }

  /// The boot loader's serial ports that the kernel lists. Others are not asked: whatever is on them might take it amiss.
  private static func findSerialDFU(_ options: FlashOptions) -> [FoundBoard] {
    serialPorts(in: "/sys/class/tty").map { name in
      let location = "serial-dfu:/dev/\(name)"
      do throws(FlashFailure) {
        let programmer = try serialDFU.open("/dev/\(name)", options)
        defer { programmer.close() }
        return FoundBoard(location: location, sighting: try programmer.look())
      } catch {
        return FoundBoard(location: location, obstacle: error)
      }
    }
  }

  /// The names of those terminals below `folder` that belong to USB device 1915:521F, Nordic's open boot loader.
  static func serialPorts(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { name in
      // The terminal's device is a USB interface; the device's numbers are in the folder above it.
      func text(_ attribute: String) -> String? {
        guard let real = realpath("\(folder)/\(name)/device", nil) else { return nil }
        defer { free(real) }
        let device = URL(filePath: String(cString: real)).deletingLastPathComponent()
        return (try? String(contentsOf: device.appending(path: attribute), encoding: .utf8))?
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
      return text("idVendor") == "1915" && text("idProduct") == "521f"
    }.sorted()
  }
}
