/// The procedures of a `GATTClient` (Core Specification, Vol 3, Part G, 4).
public enum GATTProcedure: BitwiseCopyable, Sendable {
  /// Exchange MTU (4.3.1), offering to receive PDUs of this length, 23…517. Ends with `.mtu`.
  case exchangeMTU(Int)
  /// Discover Primary Service by Service UUID (4.4.2), up to the first found. Ends
  /// with `.service`, or `.finished` if there is none. `GATTClient.search(behind:)` finds the next.
  case discoverService16(UUID16)
  /// The same for a 128-bit UUID.
  case discoverService128(UUID128)
  /// Discover All Characteristics of a Service (4.6.1): `.characteristics` for each response, then
  /// `.finished` unless one was the last.
  case discoverCharacteristics(HandleRange)
  /// Read Long Characteristic Value (4.8.3): `.value` for each piece but the last, then `.lastValue`, or
  /// `.finished` if only the next response shows that it was the last. Values are 512 bytes at most.
  case readLong(UInt16)
  /// Write Characteristic Value (4.9.3), or Write Long Characteristic Values (4.9.4) if the value is longer
  /// than ATT_MTU − 3, with the echoes checked. The value has `length` bytes, 0…512. Ends with `.finished`.
  case write(UInt16, length: Int)
  /// Finds the client characteristic configuration descriptor of the characteristic whose value has the lower
  /// handle of the range, up to its upper one (the end of the service is sufficient), and writes the
  /// configuration there (4.7.1, 4.12.3). Ends with `.finished`.
  case subscribe(HandleRange, ClientConfiguration)
}

/// The effect of a PDU at a `GATTClient`. Value bytes are those of the PDU that was received, `from` an
/// offset to its end.
public enum GATTClientEvent: Equatable, BitwiseCopyable, Sendable {
  /// Nothing for the caller: the procedure continues with `nextRequest`, or the PDU was not for it.
  case none
  /// The peer receives PDUs of this length: pass it to `ATTServer.agreed(peerMTU:on:)`. The procedure has
  /// ended. For a peer that does not support the exchange the event is `.finished`: the ATT_MTU stays as it
  /// is.
  case mtu(Int)
  /// The service was found. The procedure has ended.
  case service(HandleRange)
  /// The PDU holds characteristics: read them with `GATTCharacteristics(pdu)`. The procedure continues unless
  /// they are the last.
  case characteristics(isLast: Bool)
  /// The PDU's bytes are the value's from `offset` on. The procedure continues.
  case value(offset: Int, from: Int)
  /// As `value`, with the last bytes of the value (none if `from` is the PDU's length). The procedure has
  /// ended.
  case lastValue(offset: Int, from: Int)
  /// The procedure has ended with success (a discovery: found no more).
  case finished
  /// The procedure has ended with a failure.
  case failed(GATTFailure)
  /// The peer notified this value of an attribute; independent of procedures.
  case notification(handle: UInt16, from: Int)
  /// The peer indicated this value: respond with `GATTClient.confirmation`.
  case indication(handle: UInt16, from: Int)
}

/// Why a procedure failed.
public enum GATTFailure: Equatable, BitwiseCopyable, Sendable {
  /// The peer returned this error.
  case refused(ATTErrorCode)
  /// The response has the right opcode but invalid contents.
  case malformed
  /// The peer sent a response to another request. The connection is broken.
  case unexpectedResponse
  /// No response in time. The connection is broken.
  case timeout
  /// The value is longer than 512 bytes.
  case tooLong
  /// The echo of a prepared write differs. The queue was cancelled, nothing was written.
  case echoMismatch
  /// The characteristic has no client characteristic configuration.
  case noConfiguration
}
