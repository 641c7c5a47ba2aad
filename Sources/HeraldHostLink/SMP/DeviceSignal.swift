import HeraldDeviceLink

extension DeviceClient {
  /// The result of a signal.
  public enum SignalOutcome: Equatable, Sendable {
    /// The light shows it.
    case shown
    /// The light has just changed, or shows something of more importance: to be tried again.
    case busy
    /// The device has no light, or firmware without this function.
    case refused
  }

  /// Has the device's light show a person how far the collection of its log is. The device ends it by itself.
  /// - Throws: if the link has failed, or the device does not respond.
  @discardableResult
  public func show(_ signal: CollectionSignal) throws(HostLinkError) -> SignalOutcome {
    let request = ManagementRequest(
      "to show the collection", .write, .herald, HeraldCommand.signal, isRepeatable: true
    ) { writer in
      writer.map(1)
      writer.key(.show)
      writer.unsigned(UInt32(signal.rawValue))
    }
    switch try client.result(of: request) {
    case .success: return .shown
    case .failure(let failure):
      if failure.is(SMPFailure(.busy)) { return .busy }
      guard case .refused = failure else { throw failure.error(request, at: client.location) }
      return .refused
    }
  }
}
