extension USBIPConnection {
  /// The descriptors of the imported device and of its first configuration.
  package func descriptors(at location: String, by deadline: Deadline) throws(HostLinkError) -> (
    device: USBDeviceDescriptor, configuration: USBConfiguration
  ) {
    let deviceBytes = try control(.descriptor(type: 1, index: 0, length: 18), by: deadline)
    guard let device = USBDeviceDescriptor(deviceBytes.span) else {
      throw HostLinkError(.protocolViolation, "\(location) has no valid USB device descriptor")
    }
    // First the nine bytes that contain the total length, then the complete descriptor.
    let head = try control(.descriptor(type: 2, index: 0, length: 9), by: deadline)
    let total = head.count >= 4 ? UInt16(head[2]) | UInt16(head[3]) << 8 : 0
    let all = try control(.descriptor(type: 2, index: 0, length: max(9, total)), by: deadline)
    guard let configuration = USBConfiguration(all.span) else {
      throw HostLinkError(.protocolViolation, "\(location) has no valid USB configuration descriptor")
    }
    return (device, configuration)
  }

  /// The strings to which a device's descriptor refers, requested one by one.
  package func identity(
    _ descriptor: USBDeviceDescriptor, by deadline: Deadline
  ) throws(HostLinkError) -> USBIdentity {
    var identity = USBIdentity()
    let indexes = [descriptor.manufacturerString, descriptor.productString, descriptor.serialString]
    guard indexes.contains(where: { $0 != 0 }) else { return identity }
    // A device without strings may stall; this is not an error.
    guard let languages = try? control(.descriptor(type: 3, index: 0, length: 255), by: deadline),
      let language = USBString.firstLanguage(languages.span)
    else { return identity }
    let texts = indexes.map { index -> String in
      guard index != 0,
        let bytes = try? control(
          .descriptor(type: 3, index: index, language: language, length: 255), by: deadline)
      else { return "" }
      return USBString.text(bytes.span)
    }
    identity.manufacturer = texts[0]
    identity.product = texts[1]
    identity.serial = texts[2]
    return identity
  }
}
