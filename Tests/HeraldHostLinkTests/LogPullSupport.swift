import Testing

@testable import HeraldHostLink

/// Pulls the log of a device into a folder, over a link that may be cut off.
func pull(
  _ device: FakeDevice, _ folder: TemporaryFolder, window: Int = 4, cutAfter: Int = .max,
  before step: @escaping (PageArchive.Step) throws(HostLinkError) -> Void = { _ throws(HostLinkError) in },
  trim: LogDownload.Keeping? = nil
) throws -> PullReport {
  let archive = try PageArchive(path: folder.path, create: true)
  archive.beforeStep = step
  let transport = DirectTransport(window: window) { device.answer($0) }
  transport.cutAfter = cutAfter
  let client = SMPClient(
    transport: transport, patience: SMPClient.Patience(timeout: .milliseconds(1), attempts: 2))
  var download = LogDownload(
    device: DeviceClient(client), archive: archive, inspect: FakeDevice.inspect, trim: trim,
    now: { 1_700_000_000_000 })
  return try download.run()
}

/// What is in the folder is a part of what the device has, and nothing else.
func check(_ folder: TemporaryFolder, _ device: FakeDevice) throws -> Int {
  let archive = try PageArchive(path: folder.path, create: true)
  let pages = try archive.pages()
  for name in pages {
    let bytes = try archive.read(name)
    if name.isOpen {
      #expect(FakeDevice.inspect(bytes, epoch: name.epoch, sequence: name.sequence) == .good)
    } else {
      #expect(bytes == device.pages[name.sequence])
    }
  }
  return pages.count
}
