// swift-tools-version: 6.2
import PackageDescription

// Borrowed bytes travel as `Span` inside small non-escaping types (`ByteReader`, `ByteWriter`); `Lifetimes`
// is what lets an initialiser return one. `SuppressedAssociatedTypes` lets a type of services say which
// advertising scheduler the core has, which is not copyable.
let core: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes"),
]

// Registers of a chip are read and written through the compiler's own module of volatile accesses.
let chips: [SwiftSetting] = core + [.enableExperimentalFeature("Volatile")]

// How the modules that the unit tests and the programs spend their time in are optimised beyond the defaults:
// words in the variable HERALD_OPTIMIZED_CORE. `release`: the core is generic over its capacities, and
// without optimisation across modules those generics stay unspecialised on Linux (for Cortex-M, Embedded
// Swift always specialises). `debug`: optimised with all assertions and checks, as on CI. Without them there
// are no unsafe flags, which no package could depend on.
let optimizations = (Context.environment["HERALD_OPTIMIZED_CORE"] ?? "").split(separator: " ")
let optimized: [SwiftSetting] =
  (optimizations.contains("debug")
    ? [
      .unsafeFlags(
        ["-O", "-assert-config", "Debug", "-cross-module-optimization"], .when(configuration: .debug))
    ] : [])
  + (optimizations.contains("release")
    ? [.unsafeFlags(["-cross-module-optimization"], .when(configuration: .release))] : [])

let package = Package(
  name: "herald-embedded",
  products: [
    .library(name: "HeraldHAL", targets: ["HeraldHAL"]),
    .library(name: "HeraldCrypto", targets: ["HeraldCrypto"]),
    .library(name: "HeraldBluetooth", targets: ["HeraldBluetooth"]),
    .library(name: "HeraldEmbedded", targets: ["HeraldEmbedded"]),
    .library(name: "HeraldNeighbours", targets: ["HeraldNeighbours"]),
    .library(name: "HeraldHCI", targets: ["HeraldHCI"]),
    .library(name: "HeraldLinkLayer", targets: ["HeraldLinkLayer"]),
    .library(name: "HeraldDeviceLink", targets: ["HeraldDeviceLink"]),
    .library(name: "HeraldChips", targets: ["HeraldChips"]),
    .library(name: "HeraldFirmware", targets: ["HeraldFirmware"]),
    .library(name: "HeraldSimulation", targets: ["HeraldSimulation"]),
    .library(name: "HeraldHostLink", targets: ["HeraldHostLink"]),
    .executable(name: "herald-host", targets: ["herald-host"]),
    .executable(name: "herald-flash", targets: ["herald-flash"]),
    .executable(name: "herald-node", targets: ["herald-node"]),
    .executable(name: "herald-controller", targets: ["herald-controller"]),
  ],
  dependencies: [
    // Exact, as there is no Package.resolved: CONTRIBUTING.md, "Dependencies".
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", exact: "1.5.0"),
  ],
  targets: [
    // The allocation-free modules: the same sources build as Embedded Swift for Cortex-M.
    .target(name: "HeraldHAL", swiftSettings: core + optimized),
    .target(name: "HeraldCrypto", dependencies: ["HeraldHAL"], swiftSettings: core + optimized),
    .target(
      name: "HeraldBluetooth", dependencies: ["HeraldHAL", "HeraldCrypto"], swiftSettings: core + optimized),
    .target(
      name: "HeraldHCI", dependencies: ["HeraldHAL", "HeraldBluetooth"], swiftSettings: core + optimized),
    .target(
      name: "HeraldLinkLayer", dependencies: ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth"],
      swiftSettings: core + optimized
    ),
    .target(
      name: "HeraldEmbedded", dependencies: ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth"],
      swiftSettings: core + optimized),
    .target(
      name: "HeraldNeighbours",
      dependencies: ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded"],
      swiftSettings: core + optimized),
    .target(
      name: "HeraldDeviceLink",
      dependencies: ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded"],
      swiftSettings: core + optimized),

    .target(name: "HeraldChips", dependencies: ["HeraldHAL"], swiftSettings: chips + optimized),
    .target(
      name: "HeraldFirmware",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldDeviceLink"],
      swiftSettings: core + optimized),

    // What surrounds them on a Linux machine.
    .target(
      name: "HeraldSimulation",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldEnergy", "HeraldHCI", "HeraldLinkLayer",
      ],
      swiftSettings: core + optimized),
    .systemLibrary(
      name: "CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .systemLibrary(
      name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
    .target(
      name: "HeraldLinux",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours", "HeraldHCI", "HeraldLinkLayer",
        "HeraldDeviceLink", "CBluetooth", "HeraldText", "HeraldUSBIP",
      ],
      swiftSettings: core),
    // What every program of ours asks of the operating system.
    .systemLibrary(name: "CSystem"),
    .target(name: "HeraldSystem", dependencies: ["CSystem"]),
    // The messages of USB/IP, for the device's server and the host's client.
    .target(name: "HeraldUSBIP"),
    // Bytes and foreign text as people can read them.
    .target(name: "HeraldText"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // The current of a device, and how long its battery lasts.
    .target(name: "HeraldEnergy"),
    .target(
      name: "HeraldHostLink",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours",
        "HeraldDeviceLink", "HeraldEnergy", "HeraldText", "CLibUSB", "COpenSSL", "HeraldSystem",
        "HeraldUSBIP",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: core),

    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    // A writer of flat tables as Parquet files.
    .target(name: "HeraldParquet", dependencies: ["CZstd"]),

    // One database of the logs of many devices: who was near whom.
    .target(
      name: "HeraldArchive",
      dependencies: [
        "HeraldCrypto", "CPostgreSQL", "CZstd", "HeraldBluetooth", "HeraldEmbedded", "HeraldEnergy",
        "HeraldHostLink", "HeraldParquet", "HeraldText",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: core),

    // Firmware files: read, written, and looked at; keys, hashes and signatures. No file is opened and no
    // board touched.
    .target(
      name: "HeraldImages",
      dependencies: ["COpenSSL", "HeraldHAL", "HeraldCrypto", "HeraldText"],
      swiftSettings: core),
    // What herald-flash does, without its command line.
    .target(
      name: "HeraldFlash",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldDeviceLink",
        "HeraldHostLink", "HeraldImages", "HeraldText", "CLibUSB",
      ],
      exclude: ["Probe/FlashLoader.s"], swiftSettings: core),

    // What all programs have of a command line.
    .target(
      name: "HeraldConsole",
      dependencies: [
        "HeraldSystem", "HeraldText", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: core),

    // Programs.
    .executableTarget(
      name: "herald-host",
      dependencies: [
        "HeraldArchive", "HeraldBluetooth", "HeraldConsole", "HeraldDeviceLink", "HeraldEmbedded",
        "HeraldEnergy", "HeraldHAL", "HeraldHCI", "HeraldHostLink", "HeraldLinux", "HeraldSimulation",
        "HeraldText", "HeraldSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: core),
    .executableTarget(
      name: "herald-flash",
      dependencies: [
        "HeraldConsole", "HeraldEmbedded", "HeraldFlash", "HeraldHostLink", "HeraldImages", "HeraldText",
        "HeraldSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: core),
    .executableTarget(
      name: "herald-node",
      dependencies: [
        "HeraldConsole", "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours",
        "HeraldHCI", "HeraldLinkLayer", "HeraldDeviceLink", "HeraldImages", "HeraldLinux", "HeraldSystem",
        "HeraldText",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: core),

    .executableTarget(
      name: "herald-controller",
      dependencies: [
        "HeraldConsole", "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldLinkLayer", "HeraldLinux",
        "HeraldSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: core),

    // Figures, fuzzing and the count of allocations: run by scripts.
    .executableTarget(
      name: "herald-bench",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldDeviceLink", "HeraldSimulation",
        "HeraldArchive", "HeraldEnergy", "HeraldHostLink", "LinkDoubles", "SyntheticFleet",
      ],
      path: "Benchmarks/herald-bench", swiftSettings: core),
    .executableTarget(
      name: "herald-fuzz",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours", "HeraldHCI", "HeraldDeviceLink",
        "HeraldImages", "HeraldLinkLayer", "HeraldSimulation", "HostileInputs", "LinkDoubles", "TestInputs",
      ],
      path: "Tests/Fuzz", swiftSettings: core),
    // Devices with a link layer on a simulated medium, for script/air.
    .executableTarget(
      name: "air-device",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldLinkLayer", "HeraldSimulation", "HeraldLinux"],
      path: "Tests/Air/Device", swiftSettings: core),
    // The log of a made-up day, for the test and the picture of a report.
    .executableTarget(
      name: "synthetic-day",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHostLink", "HeraldSimulation"],
      path: "Tests/SyntheticDay", swiftSettings: core),
    // The logs of a hospital's badges, for archives.
    .target(
      name: "SyntheticFleet",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHostLink", "HeraldSimulation"],
      path: "Tests/SyntheticFleet/Fleet", swiftSettings: core),
    .executableTarget(
      name: "synthetic-fleet", dependencies: ["SyntheticFleet"], path: "Tests/SyntheticFleet/Run",
      swiftSettings: core),
    // Any table as a Parquet file, for independent readers.
    .executableTarget(
      name: "parquet-tables", dependencies: ["HeraldParquet"], path: "Tests/ParquetTables"),
    // Devices and controllers that stand in for real ones where a link is tried out.
    .target(
      name: "LinkDoubles",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldDeviceLink"],
      path: "Tests/LinkDoubles", swiftSettings: core),
    // Valid inputs made invalid, the same way each time.
    // Repeatable random numbers, and bytes as literals spell them.
    .target(
      name: "TestInputs", dependencies: ["HeraldBluetooth"], path: "Tests/TestInputs", swiftSettings: core),
    .target(name: "HostileInputs", path: "Tests/HostileInputs"),
    .target(name: "AllocationCounter", path: "Tests/Allocations/Counter"),
    .executableTarget(
      name: "allocation-test",
      dependencies: [
        "AllocationCounter", "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours",
        "HeraldHCI", "HeraldDeviceLink", "HeraldSimulation",
      ],
      path: "Tests/Allocations/Run", swiftSettings: core),

    // Reads docs/compliance.md and the sources, and needs nothing else.
    .testTarget(name: "ComplianceTests"),
    .testTarget(
      name: "HeraldHALTests", dependencies: ["HeraldHAL", "TestInputs"], swiftSettings: core),
    .testTarget(
      name: "HeraldCryptoTests", dependencies: ["HeraldHAL", "HeraldCrypto", "TestInputs"],
      swiftSettings: core),
    .testTarget(
      name: "HeraldBluetoothTests",
      dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldSimulation", "TestInputs"],
      swiftSettings: core),
    .testTarget(
      name: "HeraldEmbeddedTests",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours",
        "HeraldSimulation", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldNeighboursTests", dependencies: ["HeraldEmbedded", "HeraldNeighbours"], swiftSettings: core
    ),
    .testTarget(
      name: "HeraldSimulationTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldEnergy", "HeraldHCI", "HeraldSimulation",
      ],
      swiftSettings: core),
    .testTarget(name: "HeraldEnergyTests", dependencies: ["HeraldEnergy"], swiftSettings: core),
    .testTarget(
      name: "HeraldHCITests", dependencies: ["HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI"],
      swiftSettings: core),
    .testTarget(
      name: "HeraldLinkLayerTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldHCI", "HeraldLinkLayer", "HeraldSimulation", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldDeviceLinkTests",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldDeviceLink", "HeraldLinux",
        "HeraldSimulation", "LinkDoubles", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldChipsTests",
      dependencies: ["HeraldHAL", "HeraldHCI", "HeraldDeviceLink", "HeraldChips", "LinkDoubles"],
      swiftSettings: core),
    .testTarget(
      name: "HeraldFirmwareTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldDeviceLink", "HeraldFirmware",
        "HeraldSimulation", "LinkDoubles",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldLinuxTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldDeviceLink", "HeraldLinux",
        "HeraldText", "LinkDoubles",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldNodeTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours", "HeraldLinux", "herald-node",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldControllerTests",
      dependencies: [
        "HeraldBluetooth", "HeraldLinux", "herald-controller",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldHostLinkTests",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldNeighbours",
        "HeraldDeviceLink", "HeraldEnergy", "HeraldHostLink", "HeraldSimulation", "HeraldSystem",
        "HeraldText", "HostileInputs", "HeraldUSBIP", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldArchiveTests",
      dependencies: [
        "HeraldArchive", "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldHostLink",
        "HeraldSimulation", "SyntheticFleet", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(name: "HeraldParquetTests", dependencies: ["HeraldParquet", "TestInputs"]),
    .testTarget(
      name: "HeraldImagesTests",
      dependencies: [
        "HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded", "HeraldImages", "HeraldText",
        "HostileInputs", "TestInputs",
      ],
      swiftSettings: core),
    .testTarget(
      name: "HeraldFlashTests",
      dependencies: [
        "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldEnergy", "HeraldHostLink", "HeraldFlash",
        "HeraldImages", "HeraldText", "HostileInputs", "TestInputs",
      ],
      swiftSettings: core),
  ],
  swiftLanguageModes: [.v6]
)

// With HERALD_TARGETS=TARGET,… the package has only these targets and what they use: libraries and packages
// that these do not use are not needed (script/unit, script/firmware.py).
if let names = Context.environment["HERALD_TARGETS"] {
  var waiting = names.split(separator: ",").map(String.init)
  var targets: Set<String> = []
  var packages: Set<String> = []
  while let name = waiting.popLast() {
    guard targets.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
      continue
    }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): waiting.append(name)
      case .productItem(_, let package, _, _): packages.insert(package ?? "")
      @unknown default: break
      }
    }
  }
  package.products.removeAll { product in
    let used = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !targets.isSuperset(of: used)
  }
  package.targets.removeAll { !targets.contains($0.name) }
  package.dependencies.removeAll { dependency in
    guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
    return !packages.contains { location.hasSuffix("/" + $0) }
  }
}
