import ArgumentParser
import HeraldLinux

/// The options without which a node is not started.
struct RequiredOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The Bluetooth controller: tcp:HOST:PORT, unix:PATH, h4:/dev/ttyACM0[,BAUD][,noflow] or hci:N. For development, air:SIMULATION:N: no controller, but its own link layer on a simulated medium, as device N.",
      valueName: "radio"), transform: { try RadioAddress($0) })
  var radio: RadioAddress

  @Option(help: ArgumentHelp("The folder for what a wearable keeps in flash.", valueName: "dir"))
  var storage: String
}
