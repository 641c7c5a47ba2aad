// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The manifest of the boards with the radio of the chip alone, which have links to it. The name of a package
// that others depend on is that of its folder.

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
// Boards with USB have the role controller.
let hci = Target.Dependency.product(name: "NRF52HCI", package: "nrf52")
let hasUSB = FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Sources/controller")
let controller: [Target] = [
  .target(name: "ControllerBoard", dependencies: herald + [shared, hci], swiftSettings: core),
  .executableTarget(name: "controller", dependencies: ["ControllerBoard"] + herald, swiftSettings: core),
]

let package = Package(
  name: "board",
  products: [.library(name: "Board", targets: ["Board"])],
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../nrf52")],
  targets: [
    .target(name: "Board", dependencies: herald + [shared, radio], swiftSettings: core),
    .executableTarget(name: "wearable", dependencies: ["Board"] + herald, swiftSettings: core),
    .executableTarget(name: "beacon", dependencies: ["Board"] + herald, swiftSettings: core),
  ] + (hasUSB ? controller : []),
  swiftLanguageModes: [.v6]
)
