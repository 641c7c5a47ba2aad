import Foundation
import Testing

@testable import HeraldLinux

@Suite("H4 over a byte stream")
struct H4StreamTests {
  /// Two ends of one connection: a stream over one, the plain descriptor of the other.
  private func pair() -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [0, 0]
    let outcome = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    #expect(outcome == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    return (ends[0], ends[1])
  }

  private func drain(_ descriptor: Int32, atMost limit: Int = .max) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while all.count < limit {
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - all.count))
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return all
  }

  @Test("bytes pass both ways, and nothing there is 0, not an end")
  func passes() {
    let (ours, theirs) = pair()
    defer { close(theirs) }
    var stream = H4Stream(adopting: FileDescriptor(ours))
    #expect(readAll(&stream) == [])
    #expect(write([0x01, 0x03, 0x0C, 0x00], to: &stream))
    #expect(drain(theirs) == [0x01, 0x03, 0x0C, 0x00])
    let answer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    #expect(Glibc.write(theirs, answer, answer.count) == answer.count)
    #expect(readAll(&stream) == answer)
    #expect(stream.wantsToWrite == false)
  }

  @Test("a packet is taken whole or not at all, however little the line takes at once")
  func partialWrites() {
    let (ours, theirs) = pair()
    defer { close(theirs) }
    var size: Int32 = 1  // the kernel makes its smallest buffer of it
    setsockopt(ours, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var stream = H4Stream(adopting: FileDescriptor(ours))
    var taken: [UInt8] = []
    var number: UInt8 = 0
    // Fill the line and the stream's own buffer behind it.
    while true {
      let packet = [0x02] + [UInt8](repeating: number, count: 259)
      guard write(packet, to: &stream) else { break }
      taken += packet
      number += 1
      guard taken.count < 1 << 20 else { break }
    }
    #expect(taken.count >= 4096 && taken.count < 1 << 20)
    #expect(stream.wantsToWrite == true)
    #expect(!write([0x02] + [UInt8](repeating: 0xEE, count: 259), to: &stream))
    // Now the other end reads in odd pieces, and the stream is continued at each poll.
    var arrived: [UInt8] = []
    for _ in 0..<100_000 where arrived.count < taken.count {
      arrived += drain(theirs, atMost: 331)
      #expect(readAll(&stream) == [])
    }
    #expect(arrived == taken)
    #expect(stream.wantsToWrite == false)
    #expect(write([0x01, 0x03, 0x0C, 0x00], to: &stream))
  }

  @Test("a line that is gone reads as -1 and takes nothing")
  func gone() {
    let (ours, theirs) = pair()
    var stream = H4Stream(adopting: FileDescriptor(ours))
    close(theirs)
    #expect(readAll(&stream) == nil)
    #expect(stream.descriptor == -1)
    #expect(!write([0x01, 0x03, 0x0C, 0x00], to: &stream))
    #expect(readAll(&stream) == nil)
  }

  @Test("what arrived before the line went is still read")
  func lastBytes() {
    let (ours, theirs) = pair()
    var stream = H4Stream(adopting: FileDescriptor(ours))
    _ = Glibc.write(theirs, [0x04, 0x10, 0x01, 0x00] as [UInt8], 4)
    close(theirs)
    var buffer = [UInt8](repeating: 0, count: 16)
    var span = buffer.mutableSpan
    #expect(stream.read(into: &span) == 4)
    #expect(readAll(&stream) == nil)
  }

  @Test("a TCP line is opened again after the other end went, without the half packet that waited")
  func reconnects() throws {
    let any = try StreamSocket.resolve(host: "127.0.0.1", port: 0)
    let listener = try StreamSocket.listen(on: any, called: "test")
    let port = StreamSocket.port(of: listener.number)
    var stream = try H4Stream(.tcp(host: "127.0.0.1", port: port), retryAfter: .zero)
    let first = accept(listener.number, nil, nil)
    #expect(first >= 0)
    #expect(write([0x01, 0x03, 0x0C, 0x00], to: &stream))
    close(first)
    var isGone = false
    for _ in 0..<1_000_000 where !isGone { isGone = readAll(&stream) == nil }
    #expect(isGone)
    for _ in 0..<1_000_000 where readAll(&stream) == nil {}
    #expect(stream.reconnections == 1)
    let second = accept(listener.number, nil, nil)
    #expect(second >= 0)
    defer { close(second) }
    #expect(write([0x01, 0x01, 0x10, 0x00], to: &stream))
    var state = pollfd(fd: second, events: Int16(POLLIN), revents: 0)
    #expect(poll(&state, 1, 1000) == 1)
    _ = fcntl(second, F_SETFL, O_NONBLOCK)
    #expect(drain(second) == [0x01, 0x01, 0x10, 0x00])
  }

  @Test("a Unix socket works like a TCP one")
  func unixSocket() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/hci"
    let listener = try StreamSocket.listen(on: StreamSocket.unix(path), called: path)
    var stream = try H4Stream(.unix(path: path))
    let other = accept(listener.number, nil, nil)
    defer { close(other) }
    #expect(write([0x01, 0x03, 0x0C, 0x00], to: &stream))
    #expect(drain(other, atMost: 4) == [0x01, 0x03, 0x0C, 0x00])
  }

  @Test("a serial line is raw: no echo, no translation of any byte")
  func serialLine() throws {
    var main: Int32 = 0
    var other: Int32 = 0
    var name = [CChar](repeating: 0, count: 256)
    try #require(openpty(&main, &other, &name, nil, nil) == 0)
    defer {
      close(main)
      close(other)
    }
    let path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    var stream = try H4Stream(.serial(path: path, baud: 115_200, flowControl: false))
    let all = (0...255).map { UInt8($0) }
    #expect(write(all, to: &stream))
    #expect(drain(main, atMost: 256) == all)
    #expect(Glibc.write(main, all, all.count) == 256)
    var arrived: [UInt8] = []
    for _ in 0..<1_000_000 where arrived.count < 256 { arrived += readAll(&stream) ?? [] }
    #expect(arrived == all)
  }

  @Test("an address nobody answers at is an error that names it and what to do")
  func nobodyThere() throws {
    let any = try StreamSocket.resolve(host: "127.0.0.1", port: 0)
    let port: UInt16
    do {
      let listener = try StreamSocket.listen(on: any, called: "test")
      port = StreamSocket.port(of: listener.number)
    }
    do {
      _ = try H4Stream(.tcp(host: "127.0.0.1", port: port))
      Issue.record("connected to a port nobody listens on")
    } catch {
      #expect(
        error.description
          == "cannot connect to tcp:127.0.0.1:\(port): Connection refused; is the controller, or the program that plays it, running?"
      )
    }
    #expect(throws: SystemFailure.self) { _ = try H4Stream(.unix(path: "/nowhere/at/all")) }
    #expect(throws: SystemFailure.self) {
      _ = try H4Stream(.serial(path: "/dev/nowhere", baud: 115_200, flowControl: true))
    }
    #expect(throws: SystemFailure.self) {
      _ = try H4Stream(.serial(path: "/dev/null", baud: 115_200, flowControl: true))
    }
    #expect(throws: SystemFailure.self) { _ = try H4Stream(.userChannel(adapter: 0)) }
  }
}
