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
    for sequence in status.first..<status.last {
      // A missing page was overwritten in the meantime.
      if let page = try device.page(sequence, size: Int(status.pageSize)) {
        guard try device.acknowledge(epoch: status.epoch, sequence: sequence, bytes: page) == .taken else {
          throw HostLinkError(
            .protocolViolation,
            "\(device.client.location) says that page \(sequence) is another than the one it sent",
            advice:
              "run the same command again; if that fails again, `herald-host factory-reset` erases everything"
          )
        }
        erased += 1
        bytes += page.count
      }
      progress(PullProgress(pages: Int(sequence - status.first) + 1, ofPages: count, bytes: bytes))
    }
    return erased
  }
}
