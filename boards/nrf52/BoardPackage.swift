// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The manifest of the boards with an nRF52, which have links to it. The name of a package that others depend
// on is that of its folder. A board has the roles whose folders are in its sources.

let core: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes"),
]
let herald = [
  "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldLinkLayer", "HeraldDeviceLink",
  "HeraldChips", "HeraldFirmware",
].map {
  Target.Dependency.product(name: $0, package: "herald-embedded")
}
let shared = Target.Dependency.product(name: "NRF52Boards", package: "nrf52")
let radio = Target.Dependency.product(name: "NRF52Radio", package: "nrf52")
let hci = Target.Dependency.product(name: "NRF52HCI", package: "nrf52")

func has(_ folder: String) -> Bool {
  FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Sources/\(folder)")
}
// The board as a Bluetooth controller on USB.
let controller: [Target] = [
  .target(name: "ControllerBoard", dependencies: herald + [shared, hci], swiftSettings: core),
  .executableTarget(name: "controller", dependencies: ["ControllerBoard"] + herald, swiftSettings: core),
]
// The board with a Bluetooth controller on a serial line.
let external: [Target] =
  [.target(name: "HCIBoard", dependencies: herald + [shared], swiftSettings: core)]
  + ["wearable-hci", "beacon-hci"].map {
    .executableTarget(
      name: $0, dependencies: ["HCIBoard"] + herald, swiftSettings: core + [.define("HCI_CONTROLLER")])
  }

let package = Package(
  name: "board",
  products: [.library(name: "Board", targets: ["Board"])]
    + (has("HCIBoard") ? [.library(name: "HCIBoard", targets: ["HCIBoard"])] : []),
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../nrf52")],
  targets: [
    .target(name: "Board", dependencies: herald + [shared, radio], swiftSettings: core),
    .executableTarget(name: "wearable", dependencies: ["Board"] + herald, swiftSettings: core),
    .executableTarget(name: "beacon", dependencies: ["Board"] + herald, swiftSettings: core),
  ] + (has("controller") ? controller : []) + (has("HCIBoard") ? external : []),
  swiftLanguageModes: [.v6]
)
