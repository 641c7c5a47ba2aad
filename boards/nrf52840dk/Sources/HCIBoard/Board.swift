import HeraldChips
import HeraldFirmware
import HeraldHAL
// What a kit has is the board's to a firmware that imports this module.
@_exported import NRF52Boards

/// The nRF52840 DK (PCA10056) with a Bluetooth controller on its header.
public typealias Board = NRF52Board<NRF52840DK, NRF52Controller>

/// The line to the Bluetooth controller.
public typealias Line = NRF52Line
/// The memory of the log, and of what is kept beside it.
public typealias FlashMap = NRF52Flash<NoRadioPause>
/// The random number generator of the chip.
public typealias Random = NRF52Random
/// The supply of the board.
public typealias Supply = NRF52Supply
/// The management link on USB: 1,024 bytes a request, one at a time.
public typealias Links = USBManagement<USBD<MappedRegisters>, 1024, 1>

/// The device of a wearable on this board: 256 peers, which a room of 200 badges needs, four connections, two
/// payloads in transfer.
public typealias BadgeNode<Parts: WearableParts> = Wearable<Parts, 256, 4, 2>
