// All commands of this host as data: their constant bytes are in a table, and one loop inserts the fields.
// Two dozen commands in code took four times as much flash.

// Offsets of fields in a form: from 0x90 on a field of two bytes, little-endian, from 0xA0 on one of one
// byte. No other byte of a form is in this range.
private var handle: UInt8 { 0x90 }
private var interval: UInt8 { 0x91 }
private var window: UInt8 { 0x92 }
private var ownKind: UInt8 { 0xA3 }
private var kind: UInt8 { 0xA4 }
private var type: UInt8 { 0xA5 }
private var properties: UInt8 { 0x96 }
private var address0: UInt8 { 0x97 }
private var address2: UInt8 { 0x98 }
private var address4: UInt8 { 0x99 }
private var intervalMin: UInt8 { 0x9A }
private var intervalMax: UInt8 { 0x9B }
private var latency: UInt8 { 0x9C }
private var timeout: UInt8 { 0x9D }
private var detail: UInt8 { 0xAE }
private var mask: UInt8 { 0x9E }

/// The length of each form, and the form: opcode, length of the parameters, parameters. Advertising data
/// follows its form.
private let forms: [330 of UInt8] = [
  // The forms of `CommandPurpose`, in its order.
  // HCI_LE_Set_Advertising_Parameters (7.8.5): all three channels, any peer.
  16, 0x06, 0x20, 15, interval, interval, type, ownKind, 0, 0, 0, 0, 0, 0, 0, 0x07, 0,
  // HCI_LE_Set_Advertising_Data (7.8.7), HCI_LE_Set_Scan_Response_Data (7.8.8): always 31 bytes, the unused
  // ones zero.
  4, 0x08, 0x20, 32, detail,
  4, 0x09, 0x20, 32, detail,
  // HCI_LE_Set_Advertising_Enable (7.8.9).
  4, 0x0A, 0x20, 1, 0,
  4, 0x0A, 0x20, 1, 1,
  // HCI_LE_Set_Scan_Parameters (7.8.10): any advertiser.
  8, 0x0B, 0x20, 7, type, interval, window, ownKind, 0,
  // HCI_LE_Set_Scan_Enable (7.8.11): no duplicate filter, as every advertisement is needed.
  5, 0x0C, 0x20, 2, 0, 0,
  5, 0x0C, 0x20, 2, 1, 0,
  // HCI_LE_Create_Connection (7.8.12): to the given peer, with a scan window of 30 ms in an interval of 60
  // ms, which leaves room for scanning; no preference for the length of connection events.
  21, 0x0D, 0x20, 25, 0x60, 0, 0x30, 0, 0, kind, address0, address2, address4, ownKind, intervalMin,
  intervalMax, latency, timeout, 0, 0, 0, 0,
  // HCI_LE_Create_Connection_Cancel (7.8.13).
  3, 0x0E, 0x20, 0,
  // HCI_LE_Set_Advertising_Set_Random_Address (7.8.52): advertising set 0.
  7, 0x35, 0x20, 7, 0, address0, address2, address4,
  // HCI_LE_Set_Random_Address (7.8.4): refused while advertising (legacy), scanning or initiating.
  6, 0x05, 0x20, 6, address0, address2, address4,
  // HCI_Read_Local_Version_Information (7.4.1).
  3, 0x01, 0x10, 0,
  // HCI_Disconnect (7.1.6).
  5, 0x06, 0x04, 3, handle, detail,
  // HCI_LE_Long_Term_Key_Request_Negative_Reply (7.8.26): there is no key, encryption does not start.
  4, 0x1B, 0x20, 2, handle,
  // HCI_LE_Connection_Update (7.8.18): no preference for the length of connection events.
  12, 0x13, 0x20, 14, handle, intervalMin, intervalMax, latency, timeout, 0, 0, 0, 0,
  // HCI_LE_Set_Data_Length (7.8.33): the longest packets of one connection, 251 bytes in 2,120 µs.
  8, 0x22, 0x20, 6, handle, 0xFB, 0, 0x48, 0x08,
  // HCI_Read_RSSI (7.5.4).
  4, 0x05, 0x14, 2, handle,

  // The extended forms of those that have one. HCI_LE_Set_Extended_Advertising_Parameters [v1] (7.8.53): set
  // 0, intervals of three bytes, all three channels, any peer, no preference for the transmit power, LE 1M
  // twice, no Scan Request Received events.
  25, 0x36, 0x20, 25, 0, properties, interval, 0, interval, 0, 0x07, ownKind, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F,
  0x01, 0, 0x01, 0, 0,
  // HCI_LE_Set_Extended_Advertising_Data (7.8.54), HCI_LE_Set_Extended_Scan_Response_Data (7.8.55): set 0,
  // all of the data, not to be fragmented. The length of the parameters depends on the data.
  7, 0x37, 0x20, 0, 0, 0x03, 0x01, detail,
  7, 0x38, 0x20, 0, 0, 0x03, 0x01, detail,
  // HCI_LE_Set_Extended_Advertising_Enable (7.8.56): one set, number 0, without an end.
  9, 0x39, 0x20, 6, 0, 1, 0, 0, 0, 0,
  9, 0x39, 0x20, 6, 1, 1, 0, 0, 0, 0,
  // HCI_LE_Set_Extended_Scan_Parameters (7.8.64): any advertiser, on LE 1M.
  9, 0x41, 0x20, 8, ownKind, 0, 0x01, type, interval, window,
  // HCI_LE_Set_Extended_Scan_Enable (7.8.65): no duplicate filter, without an end.
  9, 0x42, 0x20, 6, 0, 0, 0, 0, 0, 0,
  9, 0x42, 0x20, 6, 1, 0, 0, 0, 0, 0,
  // HCI_LE_Extended_Create_Connection [v1] (7.8.66): the same parameters, on LE 1M.
  22, 0x43, 0x20, 26, 0, ownKind, kind, address0, address2, address4, 0x01, 0x60, 0, 0x30, 0, intervalMin,
  intervalMax, latency, timeout, 0, 0, 0, 0,

  // The steps of `BringUpStep`, in its order.
  // HCI_Reset (7.3.2).
  3, 0x03, 0x0C, 0,
  // The vendor's commands are supplied by the transport.
  0,
  // HCI_Read_Local_Version_Information (7.4.1), ..._Supported_Commands (7.4.2), ..._Supported_Features
  // (7.4.3).
  3, 0x01, 0x10, 0,
  3, 0x02, 0x10, 0,
  3, 0x03, 0x10, 0,
  // HCI_Set_Event_Mask (7.3.1): Disconnection Complete (bit 4), Hardware Error (15), Data Buffer Overflow
  // (25), LE Meta (61). Command Complete, Command Status and Number Of Completed Packets cannot be masked.
  11, 0x01, 0x0C, 8, 0x10, 0x80, 0, 0x02, 0, 0, 0, 0x20,
  // HCI_Write_LE_Host_Support (7.3.79): the host supports LE.
  5, 0x6D, 0x0C, 2, 1, 0,
  // HCI_LE_Set_Event_Mask (7.8.1).
  10, 0x01, 0x20, 8, mask, 0, 0, 0, 0, 0, 0,
  // HCI_LE_Read_Buffer_Size [v1] (7.8.2), HCI_Read_Buffer_Size (7.4.5).
  3, 0x02, 0x20, 0,
  3, 0x05, 0x10, 0,
  // HCI_LE_Read_Local_Supported_Features (7.8.3), HCI_LE_Read_Supported_States (7.8.27), HCI_Read_BD_ADDR
  // (7.4.6).
  3, 0x03, 0x20, 0,
  3, 0x1C, 0x20, 0,
  3, 0x09, 0x10, 0,
  // HCI_LE_Write_Suggested_Default_Data_Length (7.8.35): the longest packets for future connections, 251
  // bytes in 2,120 µs.
  7, 0x24, 0x20, 4, 0xFB, 0, 0x48, 0x08,
]

extension CommandPacket {
  /// Writes the H4 packet of a form with its fields into a new packet.
  @inline(never)
  mutating func fill(_ form: Int, _ fields: inout CommandFields) {
    var offset = 0
    var before = form
    while before > 0 {
      offset &+= Int(forms[offset]) &+ 1
      before &-= 1
    }
    u8(PacketType.command)
    var left = forms[offset]
    while left > 0 {
      offset &+= 1
      left &-= 1
      let byte = forms[offset]
      let word = fields[Int(byte)]
      switch byte &>> 4 {
      case 0x9: u16(word)
      case 0xA: u8(UInt8(truncatingIfNeeded: word))
      default: u8(byte)
      }
    }
  }
}
