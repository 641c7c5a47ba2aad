extension LibUSB {
  /// The udev rule for access to Herald devices under Linux: the lines of the file `udev/70-herald.rules`,
  /// without the last line's end.
  ///
  /// The product ID is a test ID that is also used by other devices; the manufacturer string distinguishes
  /// them.
  public static let udevRule = """
    # Herald devices: for the person at the console (uaccess), and for the group plugdev where there is one. ModemManager leaves their serial port alone.
    # This goes into /etc/udev/rules.d/70-herald.rules; `herald-host udev-rule` prints it.
    \(rule("usb", "ENV{DEVTYPE}==\"usb_device\", ", "ATTR"))
    \(rule("tty", "", "ATTRS"))
    """

  private static func rule(_ subsystem: String, _ kind: String, _ attribute: String) -> String {
    "SUBSYSTEM==\"\(subsystem)\", \(kind)\(attribute){idVendor}==\"1209\", \(attribute){idProduct}==\"0001\", "
      + "\(attribute){manufacturer}==\"Herald Embedded\", MODE=\"0660\", GROUP=\"plugdev\", TAG+=\"uaccess\", "
      + "ENV{ID_MM_DEVICE_IGNORE}=\"1\""
  }
}
