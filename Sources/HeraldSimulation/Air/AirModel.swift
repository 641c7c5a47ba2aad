import Foundation

/// The parameters of the radio model, each with its source. Times are in microseconds. CONTRIBUTING.md,
/// "Simulation", lists what is modelled and what is not.
public struct AirModel: Sendable {
  /// Transmit power in dBm: near that of wearables and of Android's low setting.
  public var txPower: Float = 0
  /// The minimum received power in dBm: the nRF52833's sensitivity at 1 Mbit/s (product specification,
  /// RADIO).
  public var sensitivity: Float = -96
  /// Path loss over the first metre in dB: free space at 2.44 GHz, 20·log₁₀(4π/λ).
  public var lossAtOneMetre: Float = 40.2
  /// Loss in small antennas and in the wearers' bodies, of both ends together, in dB. An estimate: worn
  /// devices are received 5 to 20 dB below free space.
  public var bodyLoss: Float = 10
  /// The path loss exponent: the loss increases by ten times this value, in dB, for each factor of ten in
  /// distance. Indoors with people: ITU-R P.1238 (2.4 GHz, office: 30).
  public var lossExponent: Float = 3
  /// Standard deviation of the log-normal shadowing in dB. Typical values indoors are 3 to 8.
  public var shadowing: Float = 5
  /// The decorrelation distance of the shadowing in metres (Gudmundson's model, indoors).
  public var shadowDistance: Float = 5
  /// The Rician K factor, linear: the power of the direct path relative to that of all other paths. 2 is a
  /// line of sight with people nearby; 0 would be Rayleigh fading. The fading is drawn independently for each
  /// packet: people move, and the three channels are far apart in frequency.
  public var riceFactor: Float = 2
  /// The capture threshold: the power in dB by which a packet must exceed an overlapping one on the same
  /// channel to be received. Data sheets state 6 to 13 dB; the specification allows 21 (Vol 6, Part A, 4.2).
  public var captureThreshold: Float = 10
  /// The fraction of packets lost on data channels to other users of the 2.4 GHz band. An estimate; channel
  /// hopping avoids most interference.
  public var dataLoss: Float = 0.02

  /// The time from the end of listening to the packet on the next channel: that of the link layer on an
  /// nRF52 (`RadioPeripheral.leadTime` and 50 µs). The specification allows 10 ms between packets.
  public var channelPause: UInt64 = 150
  /// The time from the end of one part of a scan window to the start of the next: that of the link layer on
  /// an nRF52 (`leadTime` and `planningTime`). A part ends with each advertisement that is reported.
  public var scanPause: UInt64 = 150
  /// The time before another event at which a part of a scan window ends, beside `scanPause`: so long may
  /// the packet last that begins in it (`ScanningEvent.packetTime`).
  public static var scanTail: UInt64 { 376 }

  /// The time between two packets of an exchange (T_IFS, Vol 6, Part B, 4.1).
  public static var interFrameSpace: UInt64 { 150 }
  /// The time for which an advertiser listens after T_IFS: until the access address of a response would have
  /// arrived (`RadioStep.receiveAfterSpace`).
  public static var listening: UInt64 { 45 }
  /// The duration of a packet: preamble 1, access address 4, header 2 and CRC 3 bytes besides the payload, at
  /// 8 µs a byte (1M PHY).
  public static func airtime(payload bytes: Int) -> UInt64 { UInt64(10 + bytes) * 8 }
  /// The duration of a CONNECT_IND: two addresses and 22 bytes of link data.
  public static var connectRequest: UInt64 { airtime(payload: 34) }
  /// The maximum of the random delay after each advertising interval (advDelay, Vol 6, Part B, 4.4.2.2.1).
  public static var advertisingDelay: UInt32 { 10_000 }
  /// The time from a CONNECT_IND to the first connection event: transmitWindowDelay 1.25 ms and a small
  /// window offset (Vol 6, Part B, 4.5.3).
  public static var firstEventDelay: UInt64 { 2_500 }
  /// The number of connection events without a response after which a new connection is considered not
  /// established (Vol 6, Part B, 4.5.2).
  public static var eventsToEstablish: UInt8 { 6 }
  /// The interval of the windows in which a radio initiates.
  public static var initiatingInterval: UInt64 { 60_000 }
  /// The length of these windows: all of the time, as on the link layer of this project. HCIRadio requests
  /// 30 ms.
  public static var initiatingWindow: UInt64 { 60_000 }
  /// The duration of a connection event without data: an empty packet in each direction and T_IFS between
  /// them.
  public static var emptyEvent: UInt64 { 2 * airtime(payload: 0) + interFrameSpace }
  /// The L2CAP header of each ATT PDU. Data length extension is assumed: a PDU is one packet.
  public static var pduOverhead: Int { 4 }
  /// The time a host takes from one event to its next command.
  public static var hostDelay: UInt64 { 50 }

  /// The time from the end of an advertising packet to the start of the next on the next channel.
  public var channelChange: UInt64 { Self.interFrameSpace + Self.listening + channelPause }

  /// Creates a model with the default parameters.
  public init() {}

  /// The mean received power in dBm at a distance in metres, without shadowing and fading.
  public func power(atDistance metres: Float) -> Float {
    txPower - lossAtOneMetre - bodyLoss - 10 * lossExponent * log10(max(metres, 0.3))
  }

  /// `count` equally likely fading values in dB relative to the mean.
  func fades(count: Int, random: inout SeededRandom) -> [Float] {
    let steady = Double(riceFactor / (riceFactor + 1)).squareRoot()
    let scattered = Double(0.5 / (riceFactor + 1)).squareRoot()
    return (0..<count).map { _ in
      let real = steady + scattered * random.normal()
      let imaginary = scattered * random.normal()
      return Float(10 * log10(max(real * real + imaginary * imaginary, 1e-6)))
    }
  }
}
