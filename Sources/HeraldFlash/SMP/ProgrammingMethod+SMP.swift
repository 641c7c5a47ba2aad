import HeraldHostLink
import HeraldText

extension ProgrammingMethod {
  /// Devices that run, and MCUboot's serial recovery.
  static let smp = ProgrammingMethod(
    .smp, form: "DEVICE (usb:BUS-PORT, SERIAL, usbip://HOST/BUSID, serial:/dev/NAME, serial:tcp:HOST:PORT)",
    find: { findSMP($0) }
  ) { rest, options throws(FlashFailure) in
    do throws(HostLinkError) {
      return try openSMP(try DeviceSelector(rest), options)
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
  }

  private static func openSMP(_ selector: DeviceSelector, _ options: FlashOptions) throws(HostLinkError)
    -> SMPProgrammer
  {
    let open = try DeviceDirectory.open(selector)
    let programmer = SMPProgrammer(open.transport, timeout: options.timeout, isPermanent: options.isPermanent)
    do throws(HostLinkError) {
      if let path = options.keyFile {
        try programmer.authenticate(path, serial: open.identity.serial, isNew: options.isNewDevice)
      }
    } catch {
      programmer.close()
      throw error
    }
    return programmer
  }

  /// Plugged-in devices and those of the servers that are named, as far as they take images. Serial lines are
  /// not probed: another device could misinterpret the bytes.
  private static func findSMP(_ options: FlashOptions) -> [FoundBoard] {
    var devices: [FoundDevice] = []
    var found: [FoundBoard] = []
    // A computer without USB has no devices on it, which is no obstacle to anything.
    devices += (try? DeviceDirectory.usbDevices()) ?? []
    for server in options.usbipServers {
      do {
        devices += try DeviceDirectory.usbipDevices(server: server)
      } catch {
        found.append(
          FoundBoard(
            location: "smp:usbip://\(PrintableText.of(server))",
            obstacle: FlashFailure(error, state: .untouched)))
      }
    }
    for device in devices {
      let location = "smp:\(device.location)"
      if let obstacle = device.obstacle {
        found.append(FoundBoard(location: location, obstacle: FlashFailure(obstacle, state: .untouched)))
        continue
      }
      do throws(FlashFailure) {
        let programmer = try smp.open(device.location, options)
        defer { programmer.close() }
        found.append(FoundBoard(location: location, identification: try programmer.identify()))
      } catch {
        // A device without image slots cannot be programmed by this method and is omitted.
        if error.cause != .cannot { found.append(FoundBoard(location: location, obstacle: error)) }
      }
    }
    return found
  }
}
