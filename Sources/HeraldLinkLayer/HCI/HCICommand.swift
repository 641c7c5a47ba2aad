/// The commands of an HCI controller (Core Specification, Vol 4, Part E, 7), by their opcodes.
enum HCICommand: UInt16 {
  case disconnect = 0x0406
  case readRemoteVersion = 0x041D
  case setEventMask = 0x0C01
  case reset = 0x0C03
  case readTransmitPower = 0x0C2D
  case setHostFlowControl = 0x0C31
  case hostBufferSize = 0x0C33
  case hostCompletedPackets = 0x0C35
  case setEventMaskPage2 = 0x0C63
  case readLocalVersion = 0x1001
  case readLocalCommands = 0x1002
  case readLocalFeatures = 0x1003
  case readBufferSize = 0x1005
  case readAddress = 0x1009
  case readRSSI = 0x1405
  case leSetEventMask = 0x2001
  case leReadBufferSize = 0x2002
  case leReadLocalFeatures = 0x2003
  case leSetRandomAddress = 0x2005
  case leSetAdvertisingParameters = 0x2006
  case leReadAdvertisingPower = 0x2007
  case leSetAdvertisingData = 0x2008
  case leSetScanResponseData = 0x2009
  case leSetAdvertisingEnable = 0x200A
  case leSetScanParameters = 0x200B
  case leSetScanEnable = 0x200C
  case leCreateConnection = 0x200D
  case leCreateConnectionCancel = 0x200E
  case leReadAcceptListSize = 0x200F
  case leClearAcceptList = 0x2010
  case leAddToAcceptList = 0x2011
  case leRemoveFromAcceptList = 0x2012
  case leConnectionUpdate = 0x2013
  case leSetChannelClassification = 0x2014
  case leReadChannelMap = 0x2015
  case leReadRemoteFeatures = 0x2016
  case leEncrypt = 0x2017
  case leRand = 0x2018
  case leReadSupportedStates = 0x201C

  /// The length of the parameters in bytes; −1 if it depends on them.
  var parameterLength: Int {
    switch self {
    case .reset, .readLocalVersion, .readLocalCommands, .readLocalFeatures, .readBufferSize, .readAddress,
      .leReadBufferSize, .leReadLocalFeatures, .leReadAdvertisingPower, .leCreateConnectionCancel,
      .leReadAcceptListSize, .leClearAcceptList, .leRand, .leReadSupportedStates:
      0
    case .setHostFlowControl, .leSetAdvertisingEnable: 1
    case .readRemoteVersion, .readRSSI, .leSetScanEnable, .leReadChannelMap, .leReadRemoteFeatures: 2
    case .disconnect, .readTransmitPower: 3
    case .leSetChannelClassification: 5
    case .leSetRandomAddress: 6
    case .hostBufferSize, .leSetScanParameters, .leAddToAcceptList, .leRemoveFromAcceptList: 7
    case .setEventMask, .setEventMaskPage2, .leSetEventMask: 8
    case .leConnectionUpdate: 14
    case .leSetAdvertisingParameters: 15
    case .leCreateConnection: 25
    case .leSetAdvertisingData, .leSetScanResponseData, .leEncrypt: 32
    case .hostCompletedPackets: -1
    }
  }

  /// Whether the command is answered with Command Status, and its result is another event.
  var hasStatus: Bool {
    switch self {
    case .disconnect, .readRemoteVersion, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures:
      true
    default: false
    }
  }

  /// Whether the command changes the filter accept list.
  var changesAcceptList: Bool {
    self == .leClearAcceptList || self == .leAddToAcceptList || self == .leRemoveFromAcceptList
  }

  /// Supported_Commands (6.27): the bytes 0…28; all others are 0.
  static var supported: [29 of UInt8] { supportedCommands }
}

/// Octets 0…28 of Supported_Commands.
private let supportedCommands: [29 of UInt8] = [
  // Disconnect; Read Remote Version Information; Set Event Mask, Reset.
  0x20, 0, 0x80, 0, 0, 0xC0, 0, 0, 0, 0,
  // Read Transmit Power Level, Set Controller To Host Flow Control, Host Buffer Size, Host Number Of
  // Completed Packets; Read Local Version Information, Supported Features, Buffer Size; BD_ADDR, RSSI.
  0xE4, 0, 0, 0, 0xA8, 0x22, 0, 0, 0, 0,
  // Set Event Mask Page 2; the LE commands up to LE Rand; LE Read Supported States.
  0, 0, 0x04, 0, 0, 0xF7, 0xFF, 0xFF, 0x08,
]

/// The status of a command: an HCI error code (Core Specification, Vol 1, Part F).
enum HCIStatus: UInt8 {
  case success = 0x00
  case unknownCommand = 0x01
  case unknownConnection = 0x02
  case memoryExceeded = 0x07
  case connectionLimit = 0x09
  case connectionExists = 0x0B
  case disallowed = 0x0C
  case unsupportedValue = 0x11
  case invalidParameters = 0x12
}
