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
  private let request = "\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n"
  private let answer = "\u{06}\u{09}ABALAAAGAAABAKFhcmJoaeLw\n"

  private func exchange(_ link: inout StreamLink, _ descriptor: Int32) -> String {
    var device = QuietDevice()
    let bytes = Array(request.utf8)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    var arrived: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    for _ in 0..<1000 where arrived.count < answer.utf8.count {
      var polls = PollSet()
      link.prepare(&polls, at: .start)
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
      #expect(link.location == path)
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

  @Test("a link to a pseudo terminal that a killed process left is replaced, and no other link")
  func leftLinks() throws {
    let folder = TemporaryFolder()
    let left = folder.path + "/left"
    try #require(symlink("/dev/pts/4711", left) == 0)
    #expect(try StreamLink(.pseudoTerminal(link: left)).location == left)
    let foreign = folder.path + "/foreign"
    try #require(symlink("notes.txt", foreign) == 0)
    do {
      _ = try StreamLink(.pseudoTerminal(link: foreign))
      Issue.record("the link of somebody else was replaced")
    } catch { #expect(error.code == EEXIST) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: foreign) == "notes.txt")
  }

  @Test("answers several hosts on a TCP port, and continues when one of them leaves")
  func tcp() throws {
    var link = try StreamLink(.tcp(port: 0))
    let port = try #require(UInt16(link.location.split(separator: ":")[1]))
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

  @Test(
    "a host connects although four others are connected that send nothing: the first of these is disconnected"
  )
  func idleHosts() throws {
    var link = try StreamLink(.tcp(port: 0))
    let port = try #require(UInt16(link.location.split(separator: ":")[1]))
    let address = try StreamSocket.resolve(host: "127.0.0.1", port: port)
    var hosts: [Int32] = []
    defer { for host in hosts { close(host) } }
    for index in 0..<5 {
      let host = try StreamSocket.startConnecting(to: address).get()
      hosts.append(host)
      var state = pollfd(fd: host, events: Int16(POLLOUT), revents: 0)
      #expect(poll(&state, 1, 1000) == 1)
      var device = QuietDevice()
      link.serve(at: Instant(milliseconds: UInt64(1 + index)), device: &device)
    }
    #expect(exchange(&link, hosts[4]) == answer)
    var byte: UInt8 = 0
    #expect(recv(hosts[0], &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    #expect(exchange(&link, hosts[1]) == answer)
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

  @Test("nothing is written through a symbolic link")
  func links() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/storage"
    let target = folder.path + "/notes.txt"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    try #require(symlink(target, path + "/serial-number.part") == 0)
    try #require(symlink(target, path + "/log.flash") == 0)
    var random = try SystemRandom()
    let directory = try StorageDirectory(path, random: &random)
    do {
      _ = try FileFlash(path: directory.logPath)
      Issue.record("a log was opened through a symbolic link")
    } catch { #expect(error.code == ELOOP && error.advice.contains("symbolic link")) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("mine".utf8))
    #expect(try StorageDirectory(path, random: &random).serialNumber == directory.serialNumber)
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
