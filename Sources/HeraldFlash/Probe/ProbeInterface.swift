import HeraldHostLink

/// The interface of a CMSIS-DAP probe on a USB device (CMSIS-DAP 2.1, "USB interface").
struct ProbeInterface: Equatable {
  /// Version 1 puts its packets into HID reports of a fixed size, version 2 into bulk transfers.
  let isHID: Bool
  /// The configuration to select.
  let configuration: UInt8
  /// The interface to claim.
  let number: UInt8
  /// Probe to host.
  let input: USBEndpointDescriptor
  /// Host to probe; `nil` where reports go by SET_REPORT.
  let output: USBEndpointDescriptor?

  /// The mark in the name of the interface, or of a device with HID.
  private static let mark = "CMSIS-DAP"

  /// The interface with bulk endpoints if there is one, else that with HID reports. `name` gives the text of
  /// a string descriptor, `product` is the device's.
  static func find(in configuration: USBConfiguration, product: String, name: (UInt8) -> String)
    -> ProbeInterface?
  {
    let isNamed = { (text: String) in text.contains(mark) }
    for interface in configuration.interfaces where interface.alternate == 0 {
      guard interface.kind.interfaceClass == 0xFF, interface.kind.subclass == 0,
        isNamed(name(interface.nameString))
      else { continue }
      // The first two are packets out and packets in; a third would be trace data.
      let bulk = interface.endpoints.filter { $0.isBulk && $0.maximumPacket > 0 }
      guard let output = bulk.first(where: { !$0.isIn }), let input = bulk.first(where: \.isIn) else {
        continue
      }
      return ProbeInterface(
        isHID: false, configuration: configuration.value, number: interface.number, input: input,
        output: output)
    }
    for interface in configuration.interfaces where interface.alternate == 0 {
      guard interface.kind.interfaceClass == 3, isNamed(name(interface.nameString)) || isNamed(product),
        let input = interface.endpoints.first(where: { $0.isInterrupt && $0.isIn && $0.maximumPacket > 0 })
      else { continue }
      return ProbeInterface(
        isHID: true, configuration: configuration.value, number: interface.number, input: input,
        output: interface.endpoints.first { $0.isInterrupt && !$0.isIn && $0.maximumPacket > 0 })
    }
    return nil
  }

  /// Bytes of a transfer that holds `packet` of a probe with packets of `packetSize` bytes. HID reports are
  /// always full. A bulk transfer has to end with a short USB packet, unless it is as long as the probe's
  /// packets are: a zero after the packet is ignored, and avoids an empty packet.
  func framed(_ packet: [UInt8], packetSize: Int) -> [UInt8] {
    if isHID {
      let report = output?.maximumPacket ?? input.maximumPacket
      return packet + [UInt8](repeating: 0, count: max(0, report - packet.count))
    }
    let unit = output?.maximumPacket ?? 64
    return packet.count < packetSize && packet.count % unit == 0 ? packet + [0] : packet
  }
}
