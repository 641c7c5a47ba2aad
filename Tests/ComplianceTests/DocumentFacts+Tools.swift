extension DocumentNumbers {
  /// The same as `facts`, of further documents.
  static let furtherFacts = #"""
    figures.md: `microbit`: 16 targets, 2 connections, log \| (\S+) bytes flash, (\S+) RAM \| .*? \| the same, role `wearable-hci` \| (\S+) bytes flash, (\S+) RAM
      boards/footprint/budget.json: "microbit": \{"flash": (\d+)
      boards/footprint/budget.json: "microbit": \{.*?"ram": (\d+)
      boards/footprint/budget.json: "microbit\.wearable-hci": \{"flash": (\d+)
      boards/footprint/budget.json: "microbit\.wearable-hci": \{.*?"ram": (\d+)
    figures.md: `nrf52833dk`: 64 targets, 4 connections, log, USB \| (\S+) bytes flash, (\S+) RAM \| .*? \| the same, role `wearable-hci` \| (\S+) bytes flash, (\S+) RAM
      boards/footprint/budget.json: "nrf52833dk": \{"flash": (\d+)
      boards/footprint/budget.json: "nrf52833dk": \{.*?"ram": (\d+)
      boards/footprint/budget.json: "nrf52833dk\.wearable-hci": \{"flash": (\d+)
      boards/footprint/budget.json: "nrf52833dk\.wearable-hci": \{.*?"ram": (\d+)
    figures.md: role `controller` \| (\S+) bytes flash, (\S+) RAM
      boards/footprint/budget.json: "nrf52833dk\.controller": \{"flash": (\d+), "ram": (\d+)
    figures.md: `WearableFull`, RAM without stack \| (\S+) bytes flash, (\S+) RAM
      boards/footprint/budget.json: "armv7em\.image\.wearablefull": \{"flash": (\d+), "ram": (\d+)
    figures.md: HCI, L2CAP, ATT, GATT\) \| (\S+) bytes flash, (\S+) RAM
      boards/footprint/budget.json: "armv7em\.host": \{"flash": (\d+)
      boards/footprint/budget.json: "armv7em\.host": \{.*?"ram": (\d+)
    figures.md: connection at ATT_MTU 247 \| (\d+) bytes RAM
      boards/footprint/budget.json: "armv7em\.connection": \{"ram": (\d+)
    figures.md: `nrf52833dk\.flash` ≤ (\S+) \| (\S+) \| .*? `nrf52833dk\.ram` ≤ (\S+) \| (\S+)
      boards/footprint/budget.json: "nrf52833dk": \{.*?"goal_flash": (\d+)
      boards/footprint/budget.json: "nrf52833dk": \{"flash": (\d+)
      boards/footprint/budget.json: "nrf52833dk": \{.*?"goal_ram": (\d+)
      boards/footprint/budget.json: "nrf52833dk": \{.*?"ram": (\d+)
    figures.md: `largest_type_lines` \(limit (\d+)\), `longest_file_lines` \((\d+)\), `readme_lines` \((\d+)\), .*? `largest_board_lines` \((\d+)\)
      script/sizes: TYPE, FILE, README, BOARD = (\d+), (\d+), (\d+), (\d+)
    figures.md: on two recordings \| (\S+) and (\S+) bytes flash
      docs/log-format.md: every 30 s \| (\S+) \| (\S+) \|

    firmware.md: The command timeout of `HCIRadio` is (\w+) seconds\. After (\d+) s of silence
      Sources/HeraldHCI/Radio/ControllerSession.swift: commandTimeout: Interval \{ \.seconds\((\d+)\)
      Sources/HeraldHCI/Radio/ControllerSession.swift: silence: Interval \{ \.seconds\((\d+)\)
    firmware.md: asserted too, for (\d+) ms
      Sources/HeraldFirmware/ControllerReset.swift: width: Interval \{ \.milliseconds\((\d+)\)
    firmware.md: restart after (\w+) minutes; the time doubles with each entry, up to (\w+) hours\. A run of (\w+) minutes
      Sources/HeraldFirmware/StartDecision.swift: \.minutes\(min\((\d+) &<<
      ×0.016666666666666666 Sources/HeraldFirmware/StartDecision.swift: doublings, (\d+)\)
      ×0.016666666666666666 Sources/HeraldFirmware/StartDecision.swift: longRun: UInt32 \{ (\d+) \}
    firmware.md: log in PSRAM at (\w+)
      linker/mps2-an386.ld: LOG \(rw\) : ORIGIN = (\w+)
    firmware.md: package of programs has at most (\d+) MB
      Tests/Packages/suite.py: MOST_MB = \{"herald-host": (\d+)

    herald-flash.md: `feather-nrf52840-s140v7` \((\w+)\), `feather-nrf52840-mbr` \((\w+)\), `nrf52840dongle-adafruit` \((\w+)\)
      Sources/HeraldImages/SoftDevice.swift: major: "7", .*? applicationStart: (\w+)
      Sources/HeraldImages/SoftDevice.swift: startWithout: UInt32 = (\w+)
      Sources/HeraldImages/SoftDevice.swift: major: "6", .*? applicationStart: (\w+)
    herald-flash.md: A file has at most (\d+ M)iB, a key (\d+ K)iB
      Sources/HeraldImages/FirmwareImage.swift: largestFile = (64 << \d+)
      Sources/HeraldImages/PEMKey.swift: largestFile = (64 << \d+)
    herald-flash.md: at the same USB port within (\d+) s
      Sources/HeraldFlash/Update/DeviceUpdate.swift: patience: \.seconds\((\d+)\)

    herald-host.md: tried again after (\d+), (\d+), (\d+) and then every (\d+) s
      Sources/herald-host/Dock/DockBadge.swift: delays: \[TimeInterval\] = \[(\d+), (\d+), (\d+), (\d+)\]
    herald-host.md: Up to (\d+) devices are collected at a time
      Sources/herald-host/Dock/Dock.swift: mostAtOnce = (\d+)
    herald-host.md: ends after (\d+ MB) or an hour
      Sources/herald-host/Dock/DockStop.swift: mostBytes = (512 << \d+)
    herald-host.md: device of a USB/IP server \(port (\d+)\)
      Sources/HeraldUSBIP/USBIP.swift: port: UInt16 = (\d+)
    herald-host.md: at least two pages of at least (\d+) bytes
      Sources/HeraldEmbedded/Settings/SettingsStore.swift: at least two of (\d+) bytes or more
    herald-host.md: \| 4 \| 4 \| version: (\d+) \|
      Sources/HeraldEmbedded/Settings/DeviceSettings.swift: 4 \| 4 \| version, (\d+) \|

    herald-node.md: `--address-period` \| (\d+) s by default
      Sources/herald-node/AirOptions.swift: addressPeriod: UInt32 = (\d+)
    herald-node.md: `--expiry` \| (\d+) s by default
      Sources/herald-node/PeerOptions.swift: expiry: UInt32 = (\d+)
    herald-node.md: `--visit-after`, `--visit-end` \| (\d+) and (\d+) s by default
      Sources/herald-node/PeerOptions.swift: visitAfter: UInt32 = (\d+)
      Sources/herald-node/PeerOptions.swift: visitEnd: UInt32 = (\d+)
    herald-node.md: pages of 4,096 bytes \((\d+)\), fixed
      Sources/herald-node/HeraldNodeCommand.swift: in pages of 4096 bytes \(default: (\d+)\)
    herald-node.md: A message has at most (\d+) bytes
      Sources/herald-node/NodeDevice.swift: a message has at most (\d+) bytes

    link-layer.md: ramp-up of transmitter, receiver \| (\d+) µs, (\d+) µs \| (\d+) µs, (\d+) µs
      Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF51822: .*? transmitRampUp: UInt32 \{ (\d+) \} .*? receiveRampUp: UInt32 \{ (\d+) \}
      Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF52: .*? transmitRampUp: UInt32 \{ (\d+) \} .*? receiveRampUp: UInt32 \{ (\d+) \}
    link-layer.md: delay of transmitter, receiver \| (\d+) µs, (\d+) µs \| (\d+) µs, (\d+) µs
      Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF51822: .*? transmitDelay: UInt32 \{ (\d+) \} .*? receiveDelay: UInt32 \{ (\d+) \}
      Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF52: .*? transmitDelay: UInt32 \{ (\d+) \} .*? receiveDelay: UInt32 \{ (\d+) \}
    link-layer.md: reserved for its start \| (\S+) ms \| (\S+) ms
      ×0.001 Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF51822: .*? crystalStartUp: UInt32 \{ (\d+) \}
      ×0.001 Sources/HeraldChips/Nordic/Radio/RadioChip.swift: enum NRF52: .*? crystalStartUp: UInt32 \{ (\d+) \}
    link-layer.md: all connections \| (\d+) \| not acknowledged: .*? each connection \| (\d+) \|
      Sources/HeraldLinkLayer/Connection/IncomingPayloads.swift: capacity: UInt8 \{ (\d+) \}
      Sources/HeraldLinkLayer/Connection/OutgoingPayloads.swift: capacity: UInt8 \{ (\d+) \}
    link-layer.md: Filter accept list: (\d+) devices\. Duplicate filter: the (\d+) most recent
      Sources/HeraldLinkLayer/Air/FilterAcceptList.swift: capacity: UInt8 \{ (\d+) \}
      Sources/HeraldLinkLayer/HCI/DuplicateFilter.swift: senders: \[(\d+) of
    link-layer.md: No response within (\d+) s ends the connection
      ×0.000001 Sources/HeraldLinkLayer/Connection/OwnProcedures.swift: timeout: UInt32 \{ (\w+) \}
    link-layer.md: up to a wait of (\d+) ms\. .*? After (\d+) ms the operation is executed
      ×0.001 Sources/HeraldLinkLayer/Scheduling/Reservation.swift: patience: UInt32 \{ (\w+) \}
      ×0.001 Sources/HeraldLinkLayer/Scheduling/Reservation.swift: limit: UInt32 \{ (\w+) \}
    link-layer.md: After a delay of (\d+) ms an event
      ×0.001 Sources/HeraldLinkLayer/LinkLayer+Scheduling.swift: advertisingPatience: UInt32 \{ (\w+) \}
    link-layer.md: vendor (\w+), product (\w+) \(for tests\)
      Sources/HeraldLinkLayer/USB/HCIUSBDescriptors.swift: vendor: UInt16 \{ (\w+) \}
      Sources/HeraldLinkLayer/USB/HCIUSBDescriptors.swift: product: UInt16 \{ (\w+) \}
    link-layer.md: interrupts (\d+) and (\d+) at the highest priority; PPI channels (\d+) to (\d+), .*? PPI group (\d+)
      boards/common/OwnRadio.swift: radio: UInt32 \{ (\d+) \}
      boards/common/OwnRadio.swift: counter: UInt32 \{ (\d+) \}
      Sources/HeraldChips/Nordic/Radio/RadioRegisters.swift: turnNumber: Int \{ (\d+) \}
      Sources/HeraldChips/Nordic/Radio/RadioRegisters.swift: beginOnceNumber: Int \{ (\d+) \}
      Sources/HeraldChips/Nordic/Radio/RadioRegisters.swift: group: Int \{ (\d+) \}

    log-format.md: pages \(version (\d+); section 8 has version (\d+)\)
      Sources/HeraldEmbedded/Log/LogFormat.swift: var version: UInt8 \{ (\d+) \}
      Sources/HeraldEmbedded/Log/LogFormat.swift: oldestVersion: UInt8 \{ (\d+) \}
    log-format.md: holds at most (\S+) records, each further one half as many as the one before, but at least (\d+)
      Sources/HeraldEmbedded/Log/LogFormat.swift: maximumRecords: UInt16 \{ (\d+) \}
      Sources/HeraldEmbedded/Log/LogFormat.swift: max\(limit &>> 1, (\d+)\)
    log-format.md: dictionary capacity \*D\*, 1…(\d+)
      Sources/HeraldEmbedded/Log/LogFormat.swift: maximumDictionary: Int \{ (\d+) \}
    log-format.md: \.retentionDays` \((\d+); setting
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: retentionDays: UInt16 = (\d+)
    log-format.md: The core commits every (\d+) s
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: commitPeriod: Interval = \.seconds\((\d+)\)
    log-format.md: the block in RAM \((\d+) bytes, .*?; (\d+) sealed\)
      Sources/HeraldEmbedded/Log/LogFormat.swift: var blockSize: Int \{ (\d+) \}
      Sources/HeraldEmbedded/Log/LogFormat.swift: sealedBlockSize: Int \{ (\d+) \}
    log-format.md: second byte \(1…(\d+)\): length
      Sources/HeraldEmbedded/Log/LogFormat.swift: rawLimit: Int \{ (\d+) \}
    log-format.md: coded, open \| 1 byte \| (\d+) \|
      Sources/HeraldEmbedded/Log/LogFormat.swift: sealedLimit: Int \{ (\d+) \}
    log-format.md: after 24 hours, and after (\d+) segments
      Sources/HeraldEmbedded/Log/LogSealer.swift: segments: UInt8 \{ (\d+) \}

    porting.md: write log pages of version (\d+); hosts read versions (\d+) and
      Sources/HeraldEmbedded/Log/LogFormat.swift: var version: UInt8 \{ (\d+) \}
      Sources/HeraldEmbedded/Log/LogFormat.swift: oldestVersion: UInt8 \{ (\d+) \}
    porting.md: the handlers of RADIO \((\d+)\), RTC0 \((\d+)\) and SWI0 \((\d+)\)
      boards/common/OwnRadio.swift: radio: UInt32 \{ (\d+) \}
      boards/common/OwnRadio.swift: counter: UInt32 \{ (\d+) \}
      boards/common/OwnRadio.swift: procedures: UInt32 \{ (\d+) \}
    porting.md: The log is (\d+ KB) from (\w+)\.
      linker/nrf51822.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
      linker/nrf51822.ld: LOG \(r\) : ORIGIN = (\w+)
    porting.md: Differences from (\w+) \(nRF52840\) or (\w+) \(nRF52833\) on are settings
      linker/nrf52840.ld: SETTINGS \(r\) : ORIGIN = (\w+)
      linker/nrf52833.ld: SETTINGS \(r\) : ORIGIN = (\w+)

    security.md: delays of 1 s to (\d+) s on all links together, (\d+) s after a start
      Sources/HeraldDeviceLink/Access/AccessGate.swift: failures == 7 \? (\d+) :
      ×0.001 Sources/HeraldDeviceLink/Access/AccessGate.swift: startDelay: Instant \{ Instant\(milliseconds: (\d+)\)
    security.md: At most (\d+) devices, the nearest first
      Sources/herald-host/Bluetooth/ManagementClient.swift: mostDevices = (\d+)
    security.md: Held for (\w+) seconds in the last (\d+) s
      Sources/HeraldFirmware/Panel/Button.swift: longPress: Interval \{ \.seconds\((\d+)\)
      Sources/HeraldFirmware/Panel/StatusPanel.swift: armedTime: Interval \{ \.seconds\((\d+)\)

    ward.md: made-up ward of (\d+) badges
      Sources/herald-host/Commands/Practice.swift: var devices = (\d+)
    ward.md: at least every (\d+) days: then a badge erases
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.keepDays: .*?standard: (\d+)

    wire-formats.md: 11 07 .*? ([0-9a-f-]{36}) 02 0A
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var service: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
    wire-formats.md: The payload is ([0-9a-f-]{36}) \(02 read\); the signal is ([0-9a-f-]{36})
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var payload: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var compliantSignal: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
    wire-formats.md: Full speed, vendor (\w+), product (\w+) \(for tests\)
      Sources/HeraldDeviceLink/USB/USBDescriptors.swift: vendor: UInt16 \{ 0x(\w+) \}
      Sources/HeraldDeviceLink/USB/USBDescriptors.swift: product: UInt16 \{ 0x(\w+) \}
    wire-formats.md: lines of at most 127 bytes \((\d+) of payload\)
      Sources/HeraldDeviceLink/Serial/SMPSerialLine.swift: payload: Int \{ (\d+) \}
    wire-formats.md: after (\w+) minutes without an authentic request
      Sources/HeraldDeviceLink/Management/AccessSession.swift: timeout: Interval \{ \.minutes\((\d+)\)
    wire-formats.md: after bursts of (\d+ K)iB and (\d+ K)iB
      Sources/HeraldEmbedded/Coordinator/Serving/SignalBudget.swift: connectionLimit: UInt32 \{ (\d+) \}
      Sources/HeraldEmbedded/Coordinator/Serving/SignalBudget.swift: var limit: UInt32 \{ (\d+) \}

    ../CONTRIBUTING.md: the same sources: (`HeraldHAL`.*?)\. In these
      script/firmware.py: MODULES = \[(.*?)\]
    ../SECURITY.md: at present (\d+\.\d+\.\d+)
      CHANGELOG.md: ## (\d+\.\d+\.\d+)
    ../README.md: Small\*\*: (\d+) peers and (\d+) connections
      boards/microbit/Sources/wearable/main.swift: (\d+), // targets
      boards/microbit/Sources/wearable/main.swift: (\d+), // connections
    """#
}
