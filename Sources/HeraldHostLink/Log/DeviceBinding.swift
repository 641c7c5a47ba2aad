import HeraldText

extension DeviceRecord {
  /// The reason not to store the log of a device in this record's folder; `nil` if there is none.
  ///
  /// A folder is bound to the serial number and to the identifier that the device reports first. A folder of
  /// an earlier version, without an identifier, is bound by the next pull. The identifier protects against
  /// mistakes only: like a serial number it can be forged, unlike the proof of an access key.
  /// - Parameters:
  ///   - serial: the device's serial number; empty if it has none.
  ///   - id: its identifier as 16 hexadecimal digits; `nil` if it has none.
  ///   - folder: the path of the folder, for the text.
  ///   - rebinds: whether another identifier of the same serial number is accepted, as after a factory reset.
  ///   - isInSession: whether the device has proved that it has its access key.
  public func complaint(serial: String, id: String?, folder: String, rebinds: Bool, isInSession: Bool)
    -> HostLinkError?
  {
    let folder = PrintableText.of(folder, limit: 256)
    let device = serial.isEmpty ? "this device" : "device \(PrintableText.of(serial))"
    guard self.serial.isEmpty || serial.isEmpty || self.serial == serial else {
      return HostLinkError(
        .usage, "\(folder) holds the log of device \(PrintableText.of(self.serial)), and this is \(device)",
        advice: "choose another folder with --output")
    }
    if !isInSession, !rebinds, proved?.isEmpty == false, self.id == id {
      return HostLinkError(
        .notProved,
        "\(folder) holds a log that came from \(device) with its access key, and now it shows its log without one",
        advice:
          "name the file of its key with --key-file; if it has none any more, choose another folder with --output, and look at the device itself"
      )
    }
    guard let known = self.id, known != id, !rebinds else { return nil }
    guard let id else {
      return HostLinkError(
        .usage,
        "\(folder) holds the log of the device with the identifier \(known), and \(device) tells none",
        advice: "choose another folder with --output; --rebind goes on in this one if it is the same device")
    }
    return HostLinkError(
      .usage,
      "\(folder) holds the log of another device with the same serial number: its identifier is \(known), that of \(device) is \(id)",
      advice:
        "choose another folder with --output; if it is the same device after a factory reset, --rebind goes on in this one"
    )
  }
}
