import HeraldEnergy

/// The battery of a device: what its firmware has measured, and how long it lasts by that.
public struct DeviceBattery: Equatable, Sendable {
  /// The name of the board; empty if the device does not supply it.
  public let board: String
  /// The mean current since the start in mA, or why it is not known.
  package let current: Result<Double, MeasuredUse.Defect>
  /// Whether counters may have overflowed.
  public let mayHaveOverflowed: Bool
  /// The last level in the log in percent, which is linear in the voltage; `nil` if there is none or the log
  /// cannot be read.
  public let level: Int?
  /// Whether the device was supplied from outside then.
  public let isExternal: Bool

  /// How long it lasts with a cell of `capacity` in mAh, `nil` for the one of the board.
  package func outlook(capacity: Double? = nil) -> BatteryOutlook {
    BatteryOutlook(
      board: board, current: current, mayHaveOverflowed: mayHaveOverflowed, level: level,
      isExternal: isExternal, capacity: capacity)
  }
}

extension DeviceClient {
  /// The roles of a link layer, each of which has a group of counters.
  private static let roles = ["advertiser", "scanner", "initiator", "peripheral", "central"]

  /// What the device has measured since its start, with the uptime that it reports afterwards, so that no
  /// time is longer. Devices without such counters have values of zero.
  package func measuredUse() throws(HostLinkError) -> MeasuredUse {
    let names = try statisticsNames()
    var use = MeasuredUse()
    var pages: UInt64 = 0
    for name in names {
      guard Self.roles.contains(name) || ["herald", "log", "firmware"].contains(name) else { continue }
      let counters = Dictionary(
        try statistics(group: name).counters.map { ($0.name, $0.value) }, uniquingKeysWith: { one, _ in one })
      switch name {
      case "herald": use.advertisements = counters["adverts"] ?? 0
      case "log":
        pages = counters["pages"] ?? 0
        use.erasures = counters["erases"] ?? 0
      case "firmware": use.asleep = counters["asleep_ms"]
      default:
        guard let receiving = counters["receive_ms"], let transmitting = counters["transmit_ms"],
          let ramping = counters["ramp_ms"], let crystal = counters["crystal_ms"]
        else { continue }
        use.add(
          receiving: receiving, transmitting: transmitting, ramping: ramping, crystal: crystal,
          events: counters["events"] ?? 0)
      }
    }
    let status = try logStatus()
    use.uptime = status.uptimeMilliseconds
    use.words = min(pages, UInt64(UInt32.max)) * UInt64(status.pageSize / 4)
    return use
  }

  /// The battery of the device. The level is in the newest pages of the log, which a device with an access
  /// key serves only to those who have it.
  public func battery() throws(HostLinkError) -> DeviceBattery {
    let board = try boardName()
    let (current, mayHaveOverflowed) = try meanCurrent(board: board)
    let last = try lastBatteryRecord()
    return DeviceBattery(
      board: board, current: current, mayHaveOverflowed: mayHaveOverflowed,
      level: last.map { Int($0.level) }, isExternal: last?.isExternal ?? false)
  }

  /// The mean current in mA since the start of a device of this board, or why it is not known, and whether
  /// counters may have overflowed.
  private func meanCurrent(board: String) throws(HostLinkError) -> (Result<Double, MeasuredUse.Defect>, Bool)
  {
    let use: MeasuredUse
    do {
      use = try measuredUse()
    } catch  where error.cause == .refused || error.cause == .protocolViolation {
      use = MeasuredUse()
    }
    do throws(MeasuredUse.Defect) {
      // A device without counters of a radio says so whatever its board is.
      guard use.receiving != nil else { throw .noRadio }
      guard let power = BoardPower.named(board) else { throw .unknownBoard(board) }
      return (.success(try power.current(use)), use.mayHaveOverflowed)
    } catch {
      return (.failure(error), use.mayHaveOverflowed)
    }
  }

  /// The current of a device of this board, for the record of its folder; `date` is this computer's.
  public func power(board: String, date: UInt64) throws(HostLinkError) -> DeviceRecord.Power {
    let (current, mayHaveOverflowed) = try meanCurrent(board: board)
    switch current {
    case .success where mayHaveOverflowed:
      return DeviceRecord.Power(
        unixMilliseconds: date, board: board, microamperes: nil,
        notKnown: "the device has run for more than 49 days, after which its counters overflow")
    case .success(let mean):
      return DeviceRecord.Power(
        unixMilliseconds: date, board: board, microamperes: (mean * 10_000).rounded() / 10, notKnown: nil)
    case .failure(let defect):
      return DeviceRecord.Power(
        unixMilliseconds: date, board: board, microamperes: nil, notKnown: defect.words)
    }
  }

  /// The last record of the battery, in the newest page or else the one before it; `nil` if there is none or
  /// the log cannot be read. The device commits its log first: the record may be the one of its start.
  private func lastBatteryRecord() throws(HostLinkError) -> (level: UInt8, isExternal: Bool)? {
    let status = try committedStatus()
    for count in 1...2 where count <= status.pageCount {
      do {
        let records = try newestPages(status, count: count).compactMap { LogPage($0) }.flatMap(\.records)
        if let last = records.lazy.reversed().compactMap(\.battery).first { return last }
      } catch  where error.cause == .refused || error.cause == .protocolViolation {
        return nil
      }
    }
    return nil
  }

  /// The status of the log after a commit, or without one from a device that lets only others read its log.
  private func committedStatus() throws(HostLinkError) -> DeviceLogStatus {
    do {
      return try logStatus(commits: true)
    } catch  where error.cause == .refused {
      return try logStatus()
    }
  }
}
