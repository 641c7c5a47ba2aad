import HeraldHAL

/// The endpoints of the device beside the control endpoint (USBDescriptors.swift).
extension USBEndpoint {
  /// The management link, host to device.
  public static var linkOut: Self { Self(rawValue: 0x01) }
  /// The management link, device to host.
  public static var linkIn: Self { Self(rawValue: 0x81) }
  /// The serial port, host to device.
  public static var serialOut: Self { Self(rawValue: 0x02) }
  /// The serial port, device to host.
  public static var serialIn: Self { Self(rawValue: 0x82) }
  /// The serial state notification.
  public static var serialState: Self { Self(rawValue: 0x83) }
}
