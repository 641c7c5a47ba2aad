import Testing

@testable import HeraldHostLink

/// Pulls the log of a device into a folder, over a link that may be cut off.
func pull(
  _ device: FakeDevice, _ folder: TemporaryFolder, window: Int = 4, cutAfter: Int = .max,
  before step: @escaping (PageStore.Step) throws(HostLinkError) -> Void = { _ throws(HostLinkError) in },
  trims: Bool = false
) throws -> PullReport {
  let pageStore = try PageStore(path: folder.path, create: true)
  pageStore.beforeStep = step
  let transport = DirectTransport(window: window) { device.answer($0) }
  transport.cutAfter = cutAfter
  let client = SMPClient(
    transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 2))
  var download = LogDownload(
    device: DeviceClient(client), pageStore: pageStore, inspect: FakeDevice.inspect, trims: trims,
    now: { 1_700_000_000_000 })
  return try download.run()
}

/// What is in the folder is a part of what the device has, and nothing else.
func check(_ folder: TemporaryFolder, _ device: FakeDevice) throws -> Int {
  let pageStore = try PageStore(path: folder.path, create: true)
  let pages = try pageStore.pages()
  for name in pages {
    let bytes = try pageStore.read(name)
    if name.isOpen {
      #expect(FakeDevice.inspect(bytes, epoch: name.epoch, sequence: name.sequence) == .good)
    } else {
      #expect(bytes == device.pages[name.sequence])
    }
  }
  return pages.count
}
