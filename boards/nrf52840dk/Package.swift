// swift-tools-version: 6.2
import PackageDescription

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

let package = Package(
  name: "nrf52840dk",
  products: [
    .library(name: "Board", targets: ["Board"]), .library(name: "HCIBoard", targets: ["HCIBoard"]),
  ],
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../nrf52")],
  targets: [
    .target(name: "HCIBoard", dependencies: herald + [shared], swiftSettings: core),
    .target(name: "Board", dependencies: herald + [shared, radio], swiftSettings: core),
    .executableTarget(name: "wearable", dependencies: ["Board"] + herald, swiftSettings: core),
    .executableTarget(name: "beacon", dependencies: ["Board"] + herald, swiftSettings: core),
    .target(name: "ControllerBoard", dependencies: herald + [shared, hci], swiftSettings: core),
    .executableTarget(name: "controller", dependencies: ["ControllerBoard"] + herald, swiftSettings: core),
    .executableTarget(
      name: "wearable-hci", dependencies: ["HCIBoard"] + herald,
      swiftSettings: core + [.define("HCI_CONTROLLER")]),
    .executableTarget(
      name: "beacon-hci", dependencies: ["HCIBoard"] + herald,
      swiftSettings: core + [.define("HCI_CONTROLLER")]),
  ],
  swiftLanguageModes: [.v6]
)
