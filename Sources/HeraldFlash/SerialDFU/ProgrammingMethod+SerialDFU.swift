import Foundation
import HeraldHostLink
import HeraldText

extension ProgrammingMethod {
  /// Boards with a boot loader on a serial port: Nordic's open one, and Adafruit's.
  static let serialDFU = ProgrammingMethod(
    .serialDFU, form: "/dev/NAME of the boot loader's serial port", find: { findSerialDFU($0) }
  ) { rest, options throws(FlashFailure) in
    let location = "serial-dfu:\(PrintableText.of(rest, limit: 256))"
    do throws(HostLinkError) {
      let (line, spoken) = try openLine(rest, location, options)
      switch spoken {
      case .secure:
        // A page is erased and written within a second; the last one has all of it checked.
        return SerialDFUProgrammer(line, location: location, timeout: max(options.timeout, .seconds(10)))
      case .legacy:
        return LegacyDFUProgrammer(line, location: location, timeout: options.timeout) {
          () throws(HostLinkError) in try openAgain(rest, location, options)
        }
      }
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
  }

  private static func openLine(_ path: String, _ name: String, _ options: FlashOptions) throws(HostLinkError)
    -> (any SerialLine, SerialDFUDialect)
  {
    let line = try ByteStream.openTerminal(path)
    do throws(HostLinkError) {
      return (line, try SerialDFUDialect.spoken(on: line, name: name, timeout: options.timeout))
    } catch {
      line.close()
      throw error
    }
  }

  /// The port of a boot loader that restarted, as soon as it is back.
  private static func openAgain(_ path: String, _ name: String, _ options: FlashOptions)
    throws(HostLinkError) -> any SerialLine
  {
    let deadline = Deadline.after(max(options.timeout, .seconds(5)))
    while true {
      do throws(HostLinkError) {
        let (line, spoken) = try openLine(path, name, options)
        if spoken == .legacy { return line }
        line.close()
        throw HostLinkError(.protocolViolation, "\(name) is another boot loader now")
      } catch {
        guard !deadline.hasPassed else { throw error }
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// The terminals that the kernel lists.
  static let terminals = "/sys/class/tty"

  /// The boot loader's serial ports that the kernel lists. Others are not probed: another device could
  /// misinterpret the bytes.
  private static func findSerialDFU(_ options: FlashOptions) -> [FoundBoard] {
    serialPorts(in: terminals).map { name in
      let location = "serial-dfu:/dev/\(name)"
      do throws(FlashFailure) {
        let programmer = try serialDFU.open("/dev/\(name)", options)
        defer { programmer.close() }
        return FoundBoard(location: location, identification: try programmer.identify())
      } catch {
        return FoundBoard(location: location, obstacle: error)
      }
    }
  }

  /// USB devices that are boot loaders: Nordic's open one; Adafruit's on a Feather and on Nordic's dongle,
  /// with a drive beside the port and without; and Adafruit's on a XIAO and on a XIAO Sense.
  private static let bootLoaders = ["1915:521f", "239a:0029", "239a:002a", "2886:0044", "2886:0045"]

  /// The names of those terminals below `folder` that belong to a USB device which is a boot loader; with
  /// `port`, only of the device at this port path.
  static func serialPorts(in folder: String, at port: String? = nil) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { name in
      guard let device = usbDevice(of: name, in: folder) else { return false }
      func text(_ attribute: String) -> String? {
        (try? String(contentsOf: device.appending(path: attribute), encoding: .utf8))?
          .trimmingCharacters(in: .whitespacesAndNewlines)
      }
      guard let vendor = text("idVendor"), let product = text("idProduct") else { return false }
      return bootLoaders.contains("\(vendor):\(product)") && (port == nil || device.lastPathComponent == port)
    }.sorted()
  }

  /// The port path of the USB device of terminal `name` below `folder`; `nil` if it has none.
  static func usbPort(of name: String, in folder: String) -> String? {
    guard let device = usbDevice(of: name, in: folder),
      FileManager.default.fileExists(atPath: device.appending(path: "idVendor").path)
    else { return nil }
    return device.lastPathComponent
  }

  /// The folder of the USB device of a terminal: the terminal's device is a USB interface, and the device is
  /// the folder above it.
  private static func usbDevice(of name: String, in folder: String) -> URL? {
    guard let real = realpath("\(folder)/\(name)/device", nil) else { return nil }
    defer { free(real) }
    return URL(filePath: String(cString: real)).deletingLastPathComponent()
  }
}
