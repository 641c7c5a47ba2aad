// swift-tools-version: 6.2
import PackageDescription

let herald = [
  "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldLinkLayer", "HeraldDeviceLink",
  "HeraldChips", "HeraldFirmware",
].map {
  Target.Dependency.product(name: $0, package: "herald-embedded")
}

let core: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes"),
]
let startup = Target.Dependency.product(name: "Startup", package: "startup")

// Common code of boards with an nRF52. NRF52Radio has the interrupt handlers of the radio and the link
// layer: images with a controller do not contain it. NRF52HCI has the same for the chip as a controller on
// USB: an image has one of the two, because of the handlers.
let package = Package(
  name: "nrf52",
  products: [
    .library(name: "NRF52Boards", targets: ["NRF52Boards"]),
    .library(name: "NRF52Radio", targets: ["NRF52Radio"]),
    .library(name: "NRF52HCI", targets: ["NRF52HCI"]),
  ],
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../startup")],
  targets: [
    .target(name: "NRF52Boards", dependencies: herald + [startup], swiftSettings: core),
    .target(name: "NRF52Radio", dependencies: herald + [startup, "NRF52Boards"], swiftSettings: core),
    .target(name: "NRF52HCI", dependencies: herald + [startup, "NRF52Boards"], swiftSettings: core),
  ],
  swiftLanguageModes: [.v6]
)
