import Board
import HeraldHCI
import MeasuredHost

nonisolated(unsafe) var radio = HCIRadio<Line, 5>(transport: Line(at: 0x4000_2000))
nonisolated(unsafe) var host = MeasuredHost<5>()
while true {
  let now = boardClock()
  _ = radio.poll(at: now, into: &host)
  host.run(at: now, commanding: &radio)
}
