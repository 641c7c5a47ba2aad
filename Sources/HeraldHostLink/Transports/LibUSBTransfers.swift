import CLibUSB
import Foundation

/// Concurrent bulk transfers on one device: pending reads, and writes that do not block the caller.
///
/// A full-speed bus transmits a long transfer in a few frames of one millisecond; a transfer that is
/// requested only after the previous one has been processed is delayed by one frame. Used by one thread:
/// libusb invokes callbacks only within `wait`.
final class LibUSBTransfers {
  /// A transfer and its buffer, which exist until it is completed.
  private final class Transfer {
    let raw: UnsafeMutablePointer<libusb_transfer>
    let buffer: UnsafeMutablePointer<UInt8>
    let room: Int
    let isRead: Bool
    unowned let owner: LibUSBTransfers

    init?(_ owner: LibUSBTransfers, room: Int, isRead: Bool) {
      guard let raw = libusb_alloc_transfer(0) else { return nil }
      self.raw = raw
      buffer = .allocate(capacity: max(1, room))
      self.room = room
      self.isRead = isRead
      self.owner = owner
    }

    deinit {
      libusb_free_transfer(raw)
      // Written data may contain a secret.
      if !isRead { explicit_bzero(buffer, room) }
      buffer.deallocate()
    }
  }

  /// The outcome of a transfer.
  enum Outcome {
    /// The bytes read.
    case read([UInt8])
    /// A read or write that failed with this libusb error.
    case failed(Int32, isRead: Bool)
  }

  private let context: OpaquePointer?
  private let handle: OpaquePointer
  private let input: UInt8
  private let output: UInt8
  private var underWay: [ObjectIdentifier: Transfer] = [:]
  private var outcomes: [Outcome] = []
  /// The number of outstanding writes.
  private(set) var writes = 0

  init(_ context: OpaquePointer?, _ handle: OpaquePointer, input: UInt8, output: UInt8) {
    self.context = context
    self.handle = handle
    self.input = input
    self.output = output
  }

  /// Starts a read of up to `room` bytes. Returns 0 or a libusb error.
  func read(upTo room: Int) -> Int32 {
    guard let transfer = Transfer(self, room: room, isRead: true) else { return LIBUSB_ERROR_NO_MEM.rawValue }
    return begin(transfer, endpoint: input, count: room)
  }

  /// Starts a write. Returns 0 or a libusb error. The bytes are copied.
  func write(_ bytes: [UInt8]) -> Int32 {
    guard let transfer = Transfer(self, room: bytes.count, isRead: false) else {
      return LIBUSB_ERROR_NO_MEM.rawValue
    }
    bytes.withUnsafeBufferPointer {
      if let start = $0.baseAddress { transfer.buffer.update(from: start, count: $0.count) }
    }
    let code = begin(transfer, endpoint: output, count: bytes.count)
    if code == 0 { writes += 1 }
    return code
  }

  private func begin(_ transfer: Transfer, endpoint: UInt8, count: Int) -> Int32 {
    libusb_fill_bulk_transfer(
      transfer.raw, handle, endpoint, transfer.buffer, Int32(count),
      { raw in
        guard let raw, let pointer = raw.pointee.user_data else { return }
        let transfer = Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
        transfer.owner.isOver(transfer)
      }, Unmanaged.passUnretained(transfer).toOpaque(), 0)
    let code = libusb_submit_transfer(transfer.raw)
    if code == 0 { underWay[ObjectIdentifier(transfer)] = transfer }
    return code
  }

  private func isOver(_ transfer: Transfer) {
    underWay[ObjectIdentifier(transfer)] = nil
    if !transfer.isRead { writes -= 1 }
    let count = Int(transfer.raw.pointee.actual_length)
    let code =
      switch transfer.raw.pointee.status {
      case LIBUSB_TRANSFER_COMPLETED: Int32(0)
      case LIBUSB_TRANSFER_STALL: LIBUSB_ERROR_PIPE.rawValue
      case LIBUSB_TRANSFER_NO_DEVICE: LIBUSB_ERROR_NO_DEVICE.rawValue
      case LIBUSB_TRANSFER_OVERFLOW: LIBUSB_ERROR_OVERFLOW.rawValue
      case LIBUSB_TRANSFER_CANCELLED: LIBUSB_ERROR_INTERRUPTED.rawValue
      default: LIBUSB_ERROR_IO.rawValue
      }
    if code != 0 {
      outcomes.append(.failed(code, isRead: transfer.isRead))
    } else if transfer.isRead {
      outcomes.append(.read(Array(UnsafeBufferPointer(start: transfer.buffer, count: count))))
    } else if count < transfer.room {
      outcomes.append(.failed(LIBUSB_ERROR_IO.rawValue, isRead: false))
    }
  }

  /// The oldest outcome not yet returned; `nil` if there is none before `deadline`.
  func next(by deadline: Deadline) -> Outcome? {
    while outcomes.isEmpty {
      guard !deadline.hasPassed else { return nil }
      handleEvents(milliseconds: deadline.remainingMilliseconds)
    }
    return outcomes.removeFirst()
  }

  /// Waits until at most `count` writes are outstanding; `false` at `deadline`. A failed write counts as
  /// complete.
  func wait(forWrites count: Int, by deadline: Deadline) -> Bool {
    while writes > count {
      guard !deadline.hasPassed else { return false }
      handleEvents(milliseconds: deadline.remainingMilliseconds)
    }
    return true
  }

  private func handleEvents(milliseconds: Int32) {
    let wait = max(0, Int(milliseconds))
    var time = timeval(tv_sec: wait / 1000, tv_usec: wait % 1000 * 1000)
    libusb_handle_events_timeout_completed(context, &time, nil)
  }

  /// Cancels outstanding transfers and waits for their completion, as libusb owns the buffers until then.
  func cancel() {
    for transfer in underWay.values { libusb_cancel_transfer(transfer.raw) }
    for _ in 0..<100 where !underWay.isEmpty { handleEvents(milliseconds: 100) }
    outcomes.removeAll()
  }
}
