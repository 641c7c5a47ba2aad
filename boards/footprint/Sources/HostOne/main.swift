import Board
import HeraldHCI
import MeasuredHost

nonisolated(unsafe) var radio = HCIRadio<Line, 1>(transport: Line(at: 0x4000_2000))
nonisolated(unsafe) var host = MeasuredHost<1>()
while true {
  let now = boardClock()
  _ = radio.poll(at: now, into: &host)
  host.run(at: now, commanding: &radio)
}
