/// What a loop needs of the processor it runs on: the time, sleep, and a watchdog.
public protocol Processor: ~Copyable {
  /// The time since start-up. It never goes back.
  mutating func now() -> Instant
  /// Stops the processor until `deadline` or an interrupt, whichever is first; not at all if an interrupt has
  /// come since the loop last looked at what interrupts bring. Returns whether it stopped.
  mutating func sleep(until deadline: Instant) -> Bool
  /// Restarts the watchdog's timeout.
  mutating func feedWatchdog()
  /// Resets the chip. Does not return on a chip; what follows is not carried out.
  mutating func restart()
}

extension Processor where Self: ~Copyable {
  /// Ends a round of a loop: feeds the watchdog and sleeps until `deadline` or an interrupt, one second at
  /// most, so that the watchdog's timeout is not reached.
  ///
  /// The loop of a Herald device does the same, and withholds the watchdog when there is no progress.
  public mutating func rest(until deadline: Instant) {
    feedWatchdog()
    let start = now()
    let latest = start + .seconds(1)
    let end = deadline < latest ? deadline : latest
    if end > start { _ = sleep(until: end) }
  }
}
