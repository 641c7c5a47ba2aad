import Foundation
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import LinkDoubles
import Testing

@testable import HeraldLinux

@Suite("SMP over a byte stream")
struct StreamLinkTests {
  /// Echo of "hi", and its response, framed by a program that is not ours.
  private let question = "\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n"
  private let answer = "\u{06}\u{09}ABALAAAGAAABAKFhcmJoaeLw\n"

  private func exchange(_ link: inout StreamLink, _ descriptor: Int32) -> String {
    var device = QuietDevice()
    let bytes = Array(question.utf8)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    var arrived: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    for _ in 0..<1000 where arrived.count < answer.utf8.count {
      var polls = PollSet()
      link.prepare(&polls)
      polls.add(descriptor)
      polls.wait(until: Instant(milliseconds: 100), from: .start)
      link.serve(at: .start, device: &device)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 { arrived += buffer[..<count] }
    }
    return String(decoding: arrived, as: UTF8.self)
  }

  @Test("answers on a pseudo terminal, to one host after the other, through a link of the chosen name")
  func pseudoTerminal() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/wearable"
    do {
      var link = try StreamLink(.pseudoTerminal(link: path))
      #expect(link.place == path)
      for _ in 0..<2 {
        let host = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        try #require(host >= 0)
        #expect(exchange(&link, host) == answer)
        close(host)
      }
    }
    var state = stat()
    #expect(lstat(path, &state) != 0)
  }

  @Test("answers several hosts on a TCP port, and continues when one of them leaves")
  func tcp() throws {
    var link = try StreamLink(.tcp(port: 0))
    let port = try #require(UInt16(link.place.split(separator: ":")[1]))
    let address = try StreamSocket.resolve(host: "127.0.0.1", port: port)
    var hosts: [Int32] = []
    for _ in 0..<3 { hosts.append(try StreamSocket.startConnecting(to: address).get()) }
    for host in hosts {
      var state = pollfd(fd: host, events: Int16(POLLOUT), revents: 0)
      #expect(poll(&state, 1, 1000) == 1)
    }
    #expect(exchange(&link, hosts[2]) == answer)
    close(hosts[2])
    #expect(exchange(&link, hosts[0]) == answer)
    #expect(exchange(&link, hosts[1]) == answer)
    close(hosts[0])
    close(hosts[1])
  }

  @Test("addresses are read and written, and others refused")
  func addresses() throws {
    #expect(try StreamLinkAddress("pty") == .pseudoTerminal(link: nil))
    #expect(try StreamLinkAddress("pty:/tmp/x") == .pseudoTerminal(link: "/tmp/x"))
    #expect(try StreamLinkAddress("tcp:0") == .tcp(port: 0))
    #expect(StreamLinkAddress.tcp(port: 9).description == "tcp:9")
    #expect(StreamLinkAddress.pseudoTerminal(link: "a").description == "pty:a")
    for text in ["", "pty:", "tcp", "tcp:", "tcp:65536", "serial:x"] {
      #expect(throws: SystemFailure.self) { try StreamLinkAddress(text) }
    }
  }
}

@Suite("Storage directory")
struct StorageDirectoryTests {
  @Test("gets a serial number once, and keeps it")
  func serialNumber() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/storage"
    var random = try SystemRandom()
    let first = try StorageDirectory(path, random: &random)
    let second = try StorageDirectory(path, random: &random)
    #expect(first.serialNumber == second.serialNumber)
    #expect(first.serialNumber.count == 16)
    let other = try StorageDirectory(folder.path + "/other", random: &random)
    #expect(other.serialNumber != first.serialNumber)
  }

  @Test("refuses a serial number that is none, and a place that cannot be")
  func refused() throws {
    let folder = TemporaryFolder()
    var random = try SystemRandom()
    try Data("hello\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/serial-number"))
    #expect(throws: SystemFailure.self) { try StorageDirectory(folder.path, random: &random) }
    #expect(throws: SystemFailure.self) { try StorageDirectory("/proc/no/such", random: &random) }
  }
}
