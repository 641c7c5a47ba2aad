import ControllerBoard
import HeraldFirmware
import HeraldHAL

// A Bluetooth controller on USB, for the host of another maker.
nonisolated(unsafe) var board = Board()
nonisolated(unsafe) var controller = Board.makeController()
while true {
  let hasMore = controller.poll()
  board.show(isReady: controller.isConfigured)
  board.feedWatchdog()
  let now = board.now()
  _ = board.sleep(until: hasMore ? now : now + .seconds(1))
}
