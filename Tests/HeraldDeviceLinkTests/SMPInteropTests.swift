import Foundation
import HeraldHAL
import HeraldLinux
import Testing

private let package = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
private let python = package.appendingPathComponent(".build/venv-smp/bin/python")

@Suite("SMP with programs that are not ours")
struct SMPInteropTests {
  @Test(
    "smpclient and smpmgr talk to the device over a pseudo terminal",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: python.path),
      "needs .build/venv-smp with smpclient and smpmgr: run script/bootstrap"),
    .timeLimit(.minutes(2)))
  func smpclient() throws {
    var link = try StreamLink(.pseudoTerminal(link: nil))
    var device = TestDevice()
    let client = Process()
    client.executableURL = python
    client.arguments = [package.appendingPathComponent("Tests/Interop/smp_test.py").path, link.location]
    let output = Pipe()
    client.standardOutput = output
    client.standardError = output
    try client.run()
    let reader = output.fileHandleForReading
    let clock = SystemClock()
    var polls = PollSet()
    var said: [UInt8] = []
    var isOver = false
    let descriptor = reader.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var piece = [UInt8](repeating: 0, count: 4096)
    // The device lives while its client speaks: the pipe ends with it.
    while !isOver {
      polls.removeAll()
      link.prepare(&polls, at: clock.now)
      polls.add(descriptor)
      let now = clock.now
      polls.wait(until: now + .seconds(1), from: now)
      link.serve(at: clock.now, device: &device)
      let count = read(descriptor, &piece, piece.count)
      said += piece.prefix(max(count, 0))
      isOver = count == 0
    }
    client.waitUntilExit()
    let text = String(decoding: said, as: UTF8.self)
    #expect(client.terminationStatus == 0, "\(text)")
    #expect(text.contains("ok smpmgr os echo"), "\(text)")
  }
}
