import Foundation
import HeraldHostLink

// Writes what a pull of the log of a made-up day would leave: `invented-day FOLDER`. It is the same every time.
guard CommandLine.arguments.count == 2 else {
  print("usage: invented-day FOLDER")
  exit(64)
}
let folder = try PageArchive(path: CommandLine.arguments[1], create: true)
var day = InventedDay()
for page in try day.pages() {
  try folder.store(
    page.bytes, as: PageName(epoch: InventedDay.epoch, sequence: page.sequence, isOpen: page.isOpen))
}
try folder.updateDevice {
  $0.serial = "5356dee2c5b85838"
  $0.name = "Herald wearable"
  $0.note(epoch: InventedDay.epoch)
}
