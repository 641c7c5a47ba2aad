import HeraldChips
import HeraldFirmware
// The parts of the kit belong to the interface of the board.
@_exported import NRF52Boards
@_exported import NRF52Radio

/// The board, with the radio of its chip.
public typealias Board = NRF52Board<XIAO, NRF52OwnRadio>

/// The radio of the board: a link layer with four connections.
public typealias BoardRadio = OwnLinkLayerRadio
/// The flash of the log.
public typealias FlashMap = NRF52NOR
/// The random number generator of the chip.
public typealias Random = NRF52Random
/// The supply of the board.
public typealias Supply = NRF52Supply
/// The management links: on USB, requests of up to 1,024 bytes, one at a time; over Bluetooth, of up to 472.
public typealias Links = LinkPair<USBManagement<USBD<MappedRegisters>, 1024, 1>, BluetoothLink>
/// The requests of the management link over Bluetooth.
public typealias Management = BluetoothRequests

/// The device of a wearable on this board: 256 peers, which a room of 200 badges needs, four connections, two
/// payloads in transfer.
public typealias BadgeNode<Parts: WearableParts> = Wearable<Parts, 256, 4, 2>
