import Foundation

/// The parameters of the radio model, each with its source. Times are in microseconds. docs/simulation.md
/// lists what is modelled and what is not.
public struct AirModel: Sendable {
  /// Power sent in dBm: what wearables and Android's low setting are near.
  public var txPower: Float = 0
  /// The weakest packet that can be received, in dBm: the nRF52833's sensitivity at 1 Mbit/s (product
  /// specification, RADIO).
  public var sensitivity: Float = -96
  /// Loss over the first metre in dB: free space at 2.44 GHz, 20·log₁₀(4π/λ).
  public var lossAtOneMetre: Float = 40.2
  /// Loss in antennas too small for the wavelength and in the bodies that wear them, both ends together, in
  /// dB. A guess: worn devices are found 5 to 20 dB below free space.
  public var bodyLoss: Float = 10
  /// Ten times this is the loss in dB for every tenfold of distance: indoors with people, ITU-R P.1238 (2.4
  /// GHz, office: 30).
  public var lossExponent: Float = 3
  /// Standard deviation in dB of what stands between two places (log-normal shadowing). Indoors 3 to 8 is
  /// usual.
  public var shadowing: Float = 5
  /// Over how many metres of walking the shadowing becomes another one (Gudmundson's decorrelation, indoors).
  public var shadowDistance: Float = 5
  /// Strength of the steady path over the sum of all others (Rician K, linear). 2 is a line of sight with
  /// people about; 0 were Rayleigh. It is drawn anew for each packet: people move, and the three channels are
  /// far apart.
  public var riceFactor: Float = 2
  /// By how many dB a packet must exceed another one that overlaps it on the channel to be received. Data
  /// sheets say 6 to 13 dB; the specification allows 21 (Vol 6, Part A, 4.2).
  public var captureThreshold: Float = 10
  /// Share of packets lost on data channels to whatever else is in the 2.4 GHz band. A guess; hopping avoids
  /// the worst.
  public var dataLoss: Float = 0.02

  /// Between two packets of one exchange (T_IFS, Vol 6, Part B, 4.1).
  public static var interFrameSpace: UInt64 { 150 }
  /// From the end of an advertising packet to the start of the next on the next channel: T_IFS, listening for
  /// a response, tuning. The specification allows 10 ms; controllers take about this.
  public static var channelChange: UInt64 { 400 }
  /// Preamble 1, access address 4, header 2, CRC 3 bytes around every packet, at 8 µs a byte (1M PHY).
  public static func airtime(payload bytes: Int) -> UInt64 { UInt64(10 + bytes) * 8 }
  /// A CONNECT_IND: two addresses and 22 bytes of link data.
  public static var connectRequest: UInt64 { airtime(payload: 34) }
  /// The longest random delay behind each advertising interval (advDelay, Vol 6, Part B, 4.4.2.2.1).
  public static var advertisingDelay: UInt32 { 10_000 }
  /// From a CONNECT_IND to the first connection event: transmitWindowDelay 1.25 ms and a small window offset
  /// (Vol 6, Part B, 4.5.3).
  public static var firstEventDelay: UInt64 { 2_500 }
  /// Connection events without a response until a new connection counts as never established (Vol 6, Part B,
  /// 4.5.2).
  public static var eventsToEstablish: UInt8 { 6 }
  /// From window to window in which a radio waits for the peer it connects to: what HCIRadio asks of
  /// controllers.
  public static var initiatingInterval: UInt64 { 60_000 }
  /// How long these windows are.
  public static var initiatingWindow: UInt64 { 30_000 }
  /// An empty data packet each way and T_IFS between them.
  public static var emptyEvent: UInt64 { 2 * airtime(payload: 0) + interFrameSpace }
  /// L2CAP's header in front of each ATT PDU. Data length extension is taken for granted: a PDU is one
  /// packet.
  public static var pduOverhead: Int { 4 }
  /// The host's way from one event to the next thing it does.
  public static var hostDelay: UInt64 { 50 }

  /// The defaults.
  public init() {}

  /// The mean power in dBm received over a distance in metres, without shadowing and fading.
  public func power(atDistance metres: Float) -> Float {
    txPower - lossAtOneMetre - bodyLoss - 10 * lossExponent * log10(max(metres, 0.3))
  }

  /// Fades in dB around the mean, each as likely as any other.
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
