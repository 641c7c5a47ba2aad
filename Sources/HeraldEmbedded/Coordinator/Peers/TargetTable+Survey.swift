import HeraldBluetooth
import HeraldHAL

extension Target {
  /// How regularly it is received in the first windows of rounds, 0 to 3: one more for each in which it was,
  /// two less for each in which it was not. Of a peer that is read and is no iPhone: to this one nothing is
  /// written, and the slot of the time when that was is free.
  var regularity: UInt8 {
    get { writtenAt & 3 }
    set { writtenAt = writtenAt & ~3 | (newValue < 3 ? newValue : 3) }
  }

  /// The time until a peer that advertises every `period` ms, on average, can be expected to do so, when it
  /// was last received `silence` ms ago; 0 for now. With each of its events the uncertainty grows, by its
  /// random delays and the deviation of both clocks.
  static func wait(silence: UInt32, period: UInt32) -> UInt32 {
    let events = silence / period
    let passed = silence &- events &* period
    let uncertainty = 6 &+ events
    guard events == 0 || passed > uncertainty else { return 0 }
    let left = period &- passed
    return left > uncertainty ? left &- uncertainty : 0
  }
}

extension TargetTable {
  /// The mean time between advertisements of a phone in Android's low power setting: 1 s and the random
  /// delay.
  static var phonePeriod: UInt32 { 1005 }
  /// The RSSI from which a peer is near: at some metres, most packets are received from there.
  static var near: Int8 { -82 }

  /// How many missing peers, and strangers, show that a crowd changes.
  private static var many: Int { 64 }

  /// The peers whose payload is known, and which were received in the last round, or in the last two if they
  /// advertise rarely. Others do not prolong scanning: any number of them can be invented. As many peers as
  /// have just been received for the first time are not missing: they have changed their addresses, and once
  /// their payloads have been read, it is known whose these were. `isFirst`: this is the first survey of a
  /// round. `expects`: the peers that may still be awaited in this window. `isFlooded`: addresses are being
  /// invented, so that those just received for the first time show nothing of the missing ones. `isCrowded`:
  /// the device is in a crowd (`Crowding`). `isRhythmic`: many peers' events repeat (`RhythmicRoom`): one
  /// that was received in the last round is then missing until this one ends, also when it was awaited in
  /// vain, and as many as came in this round are not missing, in place of as many as were received once.
  @inline(never)
  mutating func survey(
    since round: Instant, latency: Interval, isFirst: Bool, expects: ScanRounds.Expectations,
    isFlooded: Bool = false, isCrowded: Bool = false, isRhythmic: Bool = false, at now: Instant
  ) -> PeerSurvey {
    let isRhythmic = Self.isForRooms && isRhythmic
    var survey = PeerSurvey()
    let passed = now.since(round)
    let last = Interval(
      milliseconds: latency.milliseconds &+ (isRhythmic ? passed.milliseconds : latency.milliseconds / 8))
    let lastTwo = Interval(milliseconds: latency.milliseconds &* 17 / 8)
    var missing = 0
    var frequent = 0
    var strangers = 0
    var newcomers = 0
    var new = 0
    var rhythmic = 0
    var slot = 0
    while slot < slotsUsed {
      let silence = targets[slot].silence(at: now)
      if isTaken(slot), silence < lastTwo, targets[slot].showedService,
        targets[slot].identityKind != .shared
      {
        let isReceived = silence <= passed
        if isReceived, targets[slot].state != .read, !isFlooded {
          strangers &+= 1
          if targets[slot].readings < 2 { newcomers &+= 1 }
          if Self.isForRooms, targets[slot].isNew(within: passed, at: now) { new &+= 1 }
        }
        if targets[slot].state == .read, survey.known < .max { survey.known &+= 1 }
        if targets[slot].state == .read, targets[slot].system == .iOS {
          survey.hasIPhone = true
        } else if targets[slot].state == .read, !targets[slot].isReceiveOnly {
          let regularity = targets[slot].regularity
          // Most have not been awaited yet when their payload was just read. Phones may be among those.
          if Self.isForRooms, targets[slot].trust > 0, isRhythmic || targets[slot].isRhythmic,
            !targets[slot].hasMoved
          {
            rhythmic &+= 1
          }
          if isReceived {
            targets[slot].endAwaiting()
            targets[slot].hasMoved = false
          } else if targets[slot].hasMoved {
            // It advertises under the address at which its payload was read since.
          } else if targets[slot].trust > 0 || isRhythmic && targets[slot].isRhythmic {
            if silence < last {
              if targets[slot].trust > 0, expects.awaited {
                missing &+= 1
                survey.awaits = true
              } else if isRhythmic {
                // It was awaited in vain, and has perhaps changed its address.
                missing &+= 1
                frequent &+= 1
              }
            }
          } else if regularity == 0 {
            survey.missing = .rare
            if expects.rare {
              survey.expect(in: Target.wait(silence: silence.milliseconds, period: Self.phonePeriod))
            }
            if targets[slot].lastRSSI.rawValue >= Self.near { survey.isNear = true }
          } else if silence < last {
            missing &+= 1
            frequent &+= 1
          }
          if isFirst {
            targets[slot].regularity = isReceived ? regularity &+ 1 : regularity > 2 ? regularity &- 2 : 0
          }
        }
      }
      slot &+= 1
    }
    survey.isChanging =
      Self.isForCrowds && expects.changing
      && (isCrowded || missing >= Self.many && strangers >= Self.many)
    if Self.isForRooms { survey.room = RhythmicRoom(peers: rhythmic, newcomers: new) }
    guard missing > (survey.room.isCalm ? new : newcomers) else {
      // Among many peers some that are there are not received either: they are awaited nonetheless.
      if !survey.room.isCalm { survey.awaits = false }
      return survey
    }
    if frequent > 0 {
      if expects.frequent { survey.wait = 0 }
      if survey.missing == .none { survey.missing = .frequent }
    }
    return survey
  }
}
