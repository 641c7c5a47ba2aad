import HeraldDeviceLink

/// Erases the pages of a device's log without storing them on the host.
///
/// A device erases only pages whose SHA-256 it receives, so that a host cannot erase data that it has not
/// read. Each page is therefore read, acknowledged, and discarded. The open page is kept.
public struct LogErasure {
  private let device: DeviceClient
  private let progress: (PullProgress) -> Void

  /// Creates an erasure on `device`.
  public init(_ device: DeviceClient, progress: @escaping (PullProgress) -> Void = { _ in }) {
    self.device = device
    self.progress = progress
  }

  /// Reads and acknowledges every page of a log with this status except the newest, oldest first. Returns the
  /// number of pages that the device erases.
  public func run(_ status: DeviceLogStatus) throws(HostLinkError) -> Int {
    let count = max(0, status.pageCount - 1)
    guard count > 0 else { return 0 }
    var erased = 0
    var bytes = 0
    var missing = 0
    for sequence in status.first..<status.last {
      // A missing page was overwritten in the meantime: a few, not all that a device may claim to have.
      if let page = try Self.page(sequence, size: Int(status.pageSize), of: device) {
        guard try device.acknowledge(epoch: status.epoch, sequence: sequence, bytes: page) == .taken else {
          throw HostLinkError(
            .protocolViolation,
            "\(device.client.location) reports that page \(sequence) is not the same as the page that it sent",
            advice:
              "its flash may be failing, or something on the way to it changes the data: examine the device; `herald-host factory-reset` erases everything"
          )
        }
        erased += 1
        bytes += page.count
      } else {
        missing += 1
        guard missing <= LogDownload.mostSetbacks else {
          throw HostLinkError(
            .protocolViolation,
            "\(device.client.location) does not have more than \(missing - 1) of its pages",
            advice: "\(erased) pages are erased; update the device's firmware or report this")
        }
      }
      progress(PullProgress(pages: Int(sequence - status.first) + 1, ofPages: count, bytes: bytes))
    }
    return erased
  }

  /// All bytes of a closed page of the log; `nil` if the device no longer has it.
  static func page(_ sequence: UInt32, size: Int, of device: DeviceClient) throws(HostLinkError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < size {
      let wanted = size - bytes.count
      let request = DeviceClient.logStream(sequence: sequence, offset: bytes.count, length: wanted)
      switch try device.client.result(of: request) {
      case .success(let body):
        // A device that sends one byte at a time would prolong this for hours.
        guard let data = body[SMPKey.data]?.byteString, data.count >= min(16, wanted), data.count <= wanted
        else {
          throw device.malformed(request, "another number of bytes than requested")
        }
        bytes += data
      case .failure(let failure):
        if failure.is(.pageGone) { return nil }
        throw failure.error(request, at: device.client.location)
      }
    }
    return bytes
  }
}
