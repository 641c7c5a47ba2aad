import Glibc

/// Exports a device over USB/IP to Linux's vhci driver, or to another USB/IP client.
///
/// No call blocks: `prepare` adds the descriptors to wait for, `receive` passes clients' requests to the
/// controller, and `send` returns the device's responses to the clients.
struct USBIPServer: ~Copyable {
  private static let mostClients = 8
  private static let chunkSize = 1 << 16

  private final class Client {
    let file: FileDescriptor
    var session: USBIPSession
    var isGone = false
    /// Whether it has just sent something.
    var isMoving = false

    init(_ file: consuming FileDescriptor, _ exported: ExportedDevice) {
      session = USBIPSession(exported)
      file.makeNonBlocking()
      self.file = file
    }
  }

  private let listener: FileDescriptor
  private let exported: ExportedDevice
  /// The clients, the one whose last request is the longest ago first.
  private var clients: [Client] = []
  private var chunk = [UInt8](repeating: 0, count: chunkSize)
  /// The listening TCP port.
  let port: UInt16

  /// Listens on the loopback interface. Port 0 selects a free one.
  init(port: UInt16, exporting exported: ExportedDevice = .management) throws(SystemFailure) {
    self.exported = exported
    let address = try StreamSocket.resolve(host: "127.0.0.1", port: port)
    listener = try StreamSocket.listen(on: address, called: "port \(port)")
    self.port = StreamSocket.port(of: listener.number)
  }

  /// Adds the descriptors of the server to `polls`.
  func prepare(_ polls: inout PollSet) {
    polls.add(listener.number)
    for client in clients {
      polls.add(client.file.number, read: client.session.isHungry, write: !client.session.output.isEmpty)
    }
  }

  /// Reads available requests of each client and passes them to `controller`. Returns whether there were any.
  mutating func receive(_ controller: inout VirtualUSBController) -> Bool {
    accept()
    var isMoving = false
    for client in clients where client.session.isHungry {
      var room = chunk.mutableSpan
      let count = client.file.read(into: &room)
      if count < 0 { client.isGone = true }
      if count > 0 {
        client.session.receive(chunk[..<count], &controller)
        client.isMoving = true
        isMoving = true
      }
    }
    if isMoving {
      clients = clients.filter { !$0.isMoving } + clients.filter(\.isMoving)
      for client in clients { client.isMoving = false }
    }
    return isMoving
  }

  /// Sends pending output, including the transfers that `controller` has completed, and closes clients that
  /// have disconnected.
  mutating func send(_ controller: inout VirtualUSBController) {
    let completions = controller.takeCompletions()
    for client in clients {
      if client.session.hasDevice { client.session.send(completions) }
      flush(client)
      if client.session.phase == .failed { client.isGone = true }
      // At most one client has imported the device: the first that did so while it was free.
      if client.isGone, client.session.hasDevice { controller.detach() }
    }
    clients.removeAll { $0.isGone }
  }

  private mutating func accept() {
    while true {
      let number = Glibc.accept(listener.number, nil, nil)
      guard number >= 0 else { return }
      // One that has not imported the device is disconnected for another one.
      if clients.count == Self.mostClients, let first = clients.firstIndex(where: { !$0.session.hasDevice }) {
        clients.remove(at: first)
      }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      var on: Int32 = 1
      setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      clients.append(Client(FileDescriptor(number), exported))
    }
  }

  private func flush(_ client: Client) {
    var sent = 0
    while sent < client.session.output.count {
      let count = client.file.write(client.session.output.span.extracting(sent...))
      if count < 0 { client.isGone = true }
      guard count > 0 else { break }
      sent += count
    }
    client.session.output.removeFirst(sent)
  }
}
