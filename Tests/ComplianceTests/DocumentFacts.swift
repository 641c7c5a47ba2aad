extension DocumentNumbers {
  /// Numbers and names that a document shares with a file of the project. A line names a document, and has a
  /// pattern; the indented lines below it have files with patterns. The groups of the files' patterns, in
  /// order, are the groups of each match in the document. `×N` before a file multiplies its numbers. In texts
  /// and patterns any blank space is one blank.
  static let facts = #"""
    architecture.md: those of `MODULES` in `script/firmware\.py`: (.*?)\. They
      script/firmware.py: MODULES = \[(.*?)\]
    architecture.md: windows of (\S+) ms in every (\S+) ms in the first minute
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.scanWindow: .*?standard: (\w+)
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.scanInterval: .*?standard: (\w+)
    architecture.md: not received for `expiry` \((\d+) minutes\)
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var expiry: Interval = \.minutes\((\d+)\)
    architecture.md: `stepTimeout` \((\d+) s\) within `exchangeLife` \((\d+) s\)
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var stepTimeout: Interval = \.seconds\((\d+)\)
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var exchangeLife: Interval = \.seconds\((\d+)\)
    architecture.md: back-off of (\d+) s, doubled up to (\d+) minutes
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var firstRetry: Interval = \.seconds\((\d+)\)
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var longestRetry: Interval = \.minutes\((\d+)\)
    architecture.md: highest rank that was received within (\d+) s
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var inRange: Interval = \.seconds\((\d+)\)
    architecture.md: \(`AttemptLength`\): (\d+) s \(HP-10\)
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var attemptTimeout: Interval = \.seconds\((\d+)\)
    architecture.md: (\S+) s while scanning is in rounds; (\S+) s while other strangers wait
      ×0.001 Sources/HeraldEmbedded/Coordinator/Peers/AttemptLength.swift: var inRounds: Interval \{ \.milliseconds\((\d+)\)
      ×0.001 Sources/HeraldEmbedded/Coordinator/Peers/AttemptLength.swift: var hasty: Interval \{ \.milliseconds\((\d+)\)
    architecture.md: not below (\S+) \| \| start
      Sources/HeraldEmbedded/Coordinator/Peers/ScanBudget.swift: var rest: UInt32 \{ (\w+) \}
    architecture.md: a payload read \| −(\S+); −(\S+) in a flood \| \| (\d+) ms of time, (\S+) in rounds
      Sources/HeraldEmbedded/Coordinator/Peers/ScanBudget.swift: var perPayload: .*? \{ \((\w+), (\w+)\) \}
      Sources/HeraldEmbedded/Coordinator/Peers/ScanBudget.swift: var pace: .*? \{ \((\w+), (\w+)\) \}
    architecture.md: serving, idle and total \| (\d+) s, (\d+) s
      Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var servingIdle: Interval = \.seconds\((\d+)\)
      ×60 Sources/HeraldEmbedded/Coordinator/Context/HeraldConfiguration.swift: var servingLife: Interval = \.minutes\((\d+)\)
    architecture.md: serves the peer, idle \| (\d+) ms .*? prepared write, idle \| (\d+) s
      Sources/HeraldEmbedded/Coordinator/Serving/Serving.swift: var lingering: Interval \{ \.milliseconds\((\d+)\)
      Sources/HeraldEmbedded/Coordinator/Serving/Serving.swift: var preparingIdle: Interval \{ \.seconds\((\d+)\)
    architecture.md: application message \| (\d+) s
      Sources/HeraldEmbedded/Coordinator/Peers/Outbox.swift: var messageLife: Interval \{ \.seconds\((\d+)\)
    architecture.md: The address changes every (\d+) minutes
      Sources/HeraldEmbedded/Scheduling/AddressRotation.swift: var usualPeriod: Interval \{ \.minutes\((\d+)\)
    architecture.md: identities by proof of presence \| (\d+) \|
      Sources/HeraldEmbedded/Coordinator/Peers/StrangerBudget.swift: var provenLimit: UInt32 \{ (\d+) \}
    architecture.md: readings \| 8,192 \| 3\.9 a second; (\d+) for each payload
      Sources/HeraldEmbedded/Coordinator/Peers/StrangerBudget.swift: var readingsPerPayload: UInt32 \{ (\d+) \}

    archive.md: advisory lock (\d+)
      Sources/HeraldArchive/Storage/PostgreSQLConnection.swift: lock: Int64 = (\w+)
    archive.md: pairs and days concerned are derived, (\S+) in a transaction
      Sources/HeraldArchive/Import/MeetingUpdate.swift: mostMeetings: Int64 = (\w+)
    archive.md: first (\S+) days of a device
      Sources/HeraldArchive/Export/ReadingPartitions.swift: mostDays = (\w+)
    archive.md: of version 1 is brought to version (\d+)
      Sources/HeraldArchive/Storage/ArchiveSchema.swift: version: Int64 = (\d+)
    archive.md: Lines have at most (\d+ K)iB, a period at most (\d+) days
      Sources/HeraldArchive/Efficacy/TextLines.swift: mostBytes = (1 << \d+)
      Sources/HeraldArchive/Efficacy/Efficacy.swift: mostDays: Int64 = (\d+)
    archive.md: at most (\w+) levels deep
      Sources/HeraldArchive/Efficacy/RecordingFolder.swift: mostLevels = (\d+)

    bluetooth.md: \[IBeacon\].*? a beacon \| (\S+) \|
      boards/footprint/budget.json: "ibeacon": \{"flash": (\d+)
    bluetooth.md: \[HeartRate\].*? 2 peers \| (\S+) \|
      boards/footprint/budget.json: "heartrate": \{"flash": (\d+)
    bluetooth.md: without a response within (\d+) s
      Sources/HeraldBluetooth/ATT/ATTOpcode.swift: transactionTimeout: Interval \{ \.seconds\((\d+)\)
    bluetooth.md: is at most 247, and (\d+) until it is exchanged
      Sources/HeraldBluetooth/ATT/ATTOpcode.swift: defaultMTU = (\d+)

    boards.md: \[`nrf52840-dongle`\].*? (\d+ KB) in the chip .*? `nrf52840dk` .*? (\d+ KB) in the chip
      linker/nrf52840-mbr.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
      linker/nrf52840.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
    boards.md: \[`microbit2`\].*? (\d+ KB) in the chip .*? `nrf52833dk` .*? (\d+ KB) in the chip
      linker/nrf52833.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
      linker/nrf52833.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
    boards.md: `microbit` \(version 1\) .*? (\d+ KB) in the chip .*? QEMU only \| (\d+ KB)
      linker/nrf51822.ld: LOG \(r\) : ORIGIN = \w+, LENGTH = (\w+)
      linker/mps2-an386.ld: LOG \(rw\) : ORIGIN = \w+, LENGTH = (\w+)
    boards.md: \[`xiao-nrf52840`\].*? (\d+ MB) flash .*? \[`feather-nrf52840`\].*? (\d+ MB) flash .*? \[`herald-wearable`\].*? (\d+ MB) flash
      ×4096 boards/xiao-nrf52840/Sources/Board/XIAO.swift: sectors: (\d+)
      ×4096 boards/feather-nrf52840/Sources/Board/Feather.swift: sectors: (\d+)
      ×4096 boards/herald-wearable/Sources/Board/HeraldWearable.swift: sectors: (\d+)
    boards.md: The wearable has (\w+) connections and (\d+) peers on an nRF52840, (\d+) on an nRF52833; the micro:bit (\w+) connections and (\d+) peers
      boards/nrf52840dk/Sources/Board/Board.swift: Wearable<Parts, \d+, (\d+)
      boards/nrf52840dk/Sources/Board/Board.swift: Wearable<Parts, (\d+)
      boards/nrf52833dk/Sources/Board/Board.swift: Wearable<Parts, (\d+)
      boards/microbit/Sources/wearable/main.swift: (\d+), // connections
      boards/microbit/Sources/wearable/main.swift: (\d+), // targets
    boards.md: A short flash lasts (\d+) ms, with (\d+) ms to the next one; a group is shown (\w+) times, with (\S+) s after each
      Sources/HeraldFirmware/Panel/StatusLight.swift: case \.noDate: LightPattern\(flashes: 2, on: (\d+), off: (\d+)
      Sources/HeraldFirmware/Panel/StatusLight.swift: case \.noDate: .*? times: (\d+)
      ×0.001 Sources/HeraldFirmware/Panel/StatusLight.swift: case \.noDate: .*? pause: (\w+)
    boards.md: long press\*\* of (\w+) seconds permits one factory reset within (\d+) s
      Sources/HeraldFirmware/Panel/Button.swift: longPress: Interval \{ \.seconds\((\d+)\)
      Sources/HeraldFirmware/Panel/StatusPanel.swift: armedTime: Interval \{ \.seconds\((\d+)\)
    boards.md: the cable does, (\w+) seconds after
      Sources/HeraldFirmware/Panel/StatusPanel.swift: cableTime: Interval \{ \.seconds\((\d+)\)
    boards.md: released from its resistor and sampled every (\w+) seconds
      Sources/HeraldFirmware/Panel/StatusPanel.swift: stuckPeriod: Interval \{ \.seconds\((\d+)\)
    boards.md: kits, `nrf52840-dongle`, `microbit2` \| (\S+) V .*? own radio \| (\S+) V .*? `herald-wearable` \| (\S+) V .*? `xiao-nrf52840` \| (\S+) V .*? `feather-nrf52840` \| (\S+) V
      ×0.001 boards/nrf52/Sources/NRF52Boards/Kit.swift: flashMinimum: UInt32 \{ (\d\w*) \}
      ×0.001 boards/nrf51/FlashMap.swift: flashMinimum: UInt32 \{ (\w+) \}
      ×0.001 boards/herald-wearable/Sources/Board/HeraldWearable.swift: flashMinimum: UInt32 \{ (\w+) \}
      ×0.001 boards/xiao-nrf52840/Sources/Board/XIAO.swift: flashMinimum: UInt32 \{ (\w+) \}
      ×0.001 boards/feather-nrf52840/Sources/Board/Feather.swift: flashMinimum: UInt32 \{ (\w+) \}
    boards.md: unselected for (\d+) µs after the first and (\d+) µs after the second
      Sources/HeraldChips/NOR/SerialNOR.swift: enterTime: Int \{ (\d+) \}
      Sources/HeraldChips/NOR/SerialNOR.swift: releaseTime: Int \{ (\d+) \}

    compliance.md: M: Service ([0-9a-f-]{36}) is a primary service
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var service: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
    compliance.md: Payload characteristic ([0-9a-f-]{36}) can be read
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var payload: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
    compliance.md: M: Signal characteristic (f[0-9a-f-]{35}) is written
      Sources/HeraldEmbedded/Protocol/HeraldUUIDs.swift: var compliantSignal: UUID128 \{ UUID128\(0x(\w+, 0x\w+)\)
    conformity.md: Without an access key of (\d+) random bytes
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.accessKey: \.bytes\((\d+)

    contacts.md: \*w\* = (\d+) s or (\d+) s, aligned
      Sources/HeraldArchive/Contacts/ContactRules.swift: windows = \[(\d+), (\d+)\]
    contacts.md: `band_limits` \((\d+),(\d+),(\d+)\)
      Sources/HeraldArchive/Contacts/ContactRules.swift: bandLimits: \[Int\] = \[(\d+), (\d+), (\d+)\]
    contacts.md: `immediate` \| ≤ (\d+) dB .*? `near` \| ≤ (\d+) dB .*? `medium` \| ≤ (\d+) dB
      Sources/HeraldArchive/Contacts/ContactRules.swift: bandLimits: \[Int\] = \[(\d+), (\d+), (\d+)\]
    contacts.md: The default weights (\S+), (\S+), (\S+) and (\S+) are
      Sources/HeraldArchive/Contacts/ContactBands.swift: defaultWeights = \[(\S+), (\S+), (\S+), (\S+)\]
    contacts.md: before more than (\d+) minutes without a sign
      Sources/HeraldHostLink/Log/ContactPeriod.swift: silence: UInt64 = (\d+) \* 60 \* 1000
    contacts.md: The report shows band 4 as `(\w+)`
      Sources/HeraldArchive/Report/ReportText.swift: names = \["immediate", "near", "medium", "(\w+)"\]
    contacts.md: Limits of one device: (\S+) signs in a day, (\S+) addresses, (\S+) reads of payloads, (\S+) payloads
      Sources/HeraldArchive/Import/DeviceDerivation.swift: mostSignsOfDay = (1 << \d+)
      Sources/HeraldArchive/Import/DeviceScan.swift: mostPeers = (1 << \d+)
      Sources/HeraldArchive/Import/DeviceScan.swift: mostEvents = (1 << \d+)
      Sources/HeraldArchive/Import/DeviceScan.swift: mostPayloads = (1 << \d+)
    contacts.md: latest days with (\S+) minutes
      Sources/HeraldArchive/Clocks/ClockUpdate.swift: mostMinutes = (4 << \d+)
    contacts.md: At most (\d+) people have a section, and (\d+) are in matrix
      Sources/HeraldArchive/Report/WardContent.swift: mostPeople = (\d+)
      Sources/HeraldArchive/Report/WardReport+Roles.swift: mostInMatrix = (\d+)
    contacts.md: fields over (\d+) characters; files over (\d+ M)iB
      Sources/HeraldArchive/People/PeopleFile.swift: mostScalars = (\d+)
      Sources/HeraldArchive/People/PeopleFile.swift: mostBytes = (64 << \d+)

    energy.md: Q is (\S+) µC
      Sources/HeraldEnergy/EnergyModel.swift: measuredAdvertisingEvent: Double \{ (\S+) \}
    energy.md: transmitting, 0 dBm, 1 Mbit/s \| (\S+) mA \| (\S+) mA \| (\S+) mA
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.transmitting = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var transmitting = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: model\.transmitting = (\S+)
    energy.md: receiving, 1 Mbit/s \| (\S+) mA \| (\S+) mA \| (\S+) mA
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.receiving = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var receiving = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: model\.receiving = (\S+)
    energy.md: processor, in addition \| (\S+) mA \| (\S+) mA
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.processing = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var processing = (\S+)
    energy.md: crystal while the radio is off \| (\S+) mA \| (\S+) mA
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.crystal = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var crystal = (\S+)
    energy.md: processor for an advertisement \| (\S+) µs \| (\S+) µs .*? event of the radio \| (\S+) µs \| (\S+) µs
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.perAdvertisement = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var perAdvertisement = (\S+)
      Sources/HeraldEnergy/EnergyModel+NRF51.swift: model\.perEvent = (\S+)
      Sources/HeraldEnergy/EnergyModel.swift: var perEvent = (\S+)
    energy.md: around the chip (\S+) µA \(`xiao-nrf52840`\), (\S+) µA \(`feather-nrf52840`\) or (\S+) µA \(`herald-wearable`\)
      ×1000 Sources/HeraldEnergy/BoardPower.swift: "xiao-nrf52840", .*? standing: ([\d._]+)
      ×1000 Sources/HeraldEnergy/BoardPower.swift: "feather-nrf52840", .*? standing: ([\d._]+)
      ×1000 Sources/HeraldEnergy/BoardPower.swift: "herald-wearable", .*? standing: ([\d._]+)
    energy.md: kits (\d+) mAh \(CR2032\), other boards (\d+) mAh
      Sources/HeraldEnergy/BoardPower.swift: chemistry: \.lithiumManganese, capacity: (\d+)
      Sources/HeraldEnergy/BoardPower.swift: chemistry: \.lithiumIon, capacity: (\d+)
    energy.md: `radio/latency` \((\d+) to (\d+) s, (\d+) by default\)
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.latency: \.number\(\.u16, (\d+)\.\.\.(\d+), \.seconds, standard: (\d+)
    energy.md: `radio/cell-mah` \((\d+) by default\)
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.cellCapacity: .*?standard: (\d+)
    energy.md: the default, a device advertises every (\d+) ms
      Sources/HeraldEmbedded/Settings/Setting.swift: case \.advertisingInterval: .*?standard: (\d+)
    """#
}
