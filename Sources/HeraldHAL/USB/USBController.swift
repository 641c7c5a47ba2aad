/// The hardware abstraction of a full-speed USB device controller with packets of at most 64 bytes.
///
/// Nothing here waits. A packet that cannot be sent now is refused and offered again at the next poll; a
/// packet that has come stays, and the host is held off, until it is read. Answering the host's tokens,
/// toggling and repeating packets is the controller's own affair.
public protocol USBController: ~Copyable {
  /// The next thing that happened on the bus, oldest first; `nil` if nothing has.
  mutating func nextEvent() -> USBEvent?

  /// Sends a packet of 0…64 bytes on an IN endpoint, or, on `control`, in the data stage of the present
  /// request. `false`, taking nothing, while the packet before it has not gone out, while the endpoint is
  /// halted or closed, and when there is no request with such a stage. The status stage behind the last
  /// packet of a control request is the controller's affair.
  mutating func write(_ endpoint: USBEndpoint, _ packet: Span<UInt8>) -> Bool

  /// Moves the packet that has come on an OUT endpoint, or in the data stage of the present request, to the
  /// start of `packet`, which has room for 64 bytes. Returns how many bytes it has; `nil` while none has
  /// come.
  mutating func read(_ endpoint: USBEndpoint, into packet: inout MutableSpan<UInt8>) -> Int?

  /// Completes the current request: sends the empty packet of the status stage, for requests without a data
  /// stage from the device.
  mutating func acknowledge()

  /// Stalls the current request; the next request clears the stall (USB 2.0, 8.5.3.4).
  mutating func refuse()

  /// Uses `address`, 0…127, from the end of the status stage of the present request on. Controllers that do
  /// so by themselves do nothing here.
  mutating func setAddress(_ address: UInt8)

  /// Opens an endpoint: not halted, data toggle 0.
  mutating func open(_ endpoint: USBEndpoint, _ kind: USBTransferKind)

  /// Closes an endpoint: what is in it is gone, and it answers nothing.
  mutating func close(_ endpoint: USBEndpoint)

  /// Halts an endpoint, which then answers with a stall, or ends that. Ending it sets the data toggle to 0,
  /// halted or not (USB 2.0, 9.4.5).
  mutating func setHalted(_ endpoint: USBEndpoint, _ isHalted: Bool)
}
