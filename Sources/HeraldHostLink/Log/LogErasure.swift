/// Has a device erase the pages of its log without keeping them here.
///
/// A device erases only pages whose SHA-256 it receives, so that no host has anything erased that it does not
/// have. Each page is therefore read first, acknowledged, and forgotten. The page that the device is writing
/// stays.
public struct LogErasure {
  private let device: DeviceClient
  private let progress: (PullProgress) -> Void

  /// Erases on `device`.
  public init(_ device: DeviceClient, progress: @escaping (PullProgress) -> Void = { _ in }) {
    self.device = device
    self.progress = progress
  }

  /// Reads and acknowledges every page of a log that stands as `status` says but the newest, the oldest
  /// first. Returns how many the device erases now.
  public func run(_ status: DeviceLogStatus) throws(HostLinkError) -> Int {
    let count = max(0, status.pageCount - 1)
    guard count > 0 else { return 0 }
    var erased = 0
    var bytes = 0
    for sequence in status.first..<status.last {
      // One that is gone was overwritten meanwhile.
      if let page = try device.page(sequence, size: Int(status.pageSize)) {
        guard try device.acknowledge(epoch: status.epoch, sequence: sequence, bytes: page) == .taken else {
          throw HostLinkError(
            .protocolViolation,
            "\(device.client.location) says that page \(sequence) is another than the one it sent",
            advice:
              "run the same command again; if that does not help, `herald-host factory-reset` erases everything"
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
