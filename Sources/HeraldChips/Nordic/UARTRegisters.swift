extension NRF {
  /// The pins of a serial line.
  public struct SerialPins: BitwiseCopyable, Sendable {
    /// Receive data.
    public var rxd: Pin
    /// Transmit data.
    public var txd: Pin
    /// Request to send, active low: this side can receive; `nil` without flow control.
    public var rts: Pin?
    /// Clear to send, active low: the other side can receive; `nil` without flow control.
    public var cts: Pin?

    /// Initialises each member. Flow control requires both `rts` and `cts`.
    public init(rxd: Pin, txd: Pin, rts: Pin? = nil, cts: Pin? = nil) {
      (self.rxd, self.txd, self.rts, self.cts) = (rxd, txd, rts, cts)
    }

    /// Whether there is hardware flow control in both directions.
    public var hasFlowControl: Bool { rts != nil && cts != nil }
  }

  /// The baud rate. The register values of UART and UARTE differ.
  public enum BaudRate: BitwiseCopyable, Sendable {
    /// 9,600 bit/s.
    case baud9600
    /// 57,600 bit/s.
    case baud57600
    /// 115,200 bit/s.
    case baud115200
    /// 230,400 bit/s.
    case baud230400
    /// 460,800 bit/s.
    case baud460800
    /// 921,600 bit/s.
    case baud921600
    /// 1,000,000 bit/s.
    case baud1M

    /// BAUDRATE of the UART (nRF51 Series Reference Manual, "Register Overview").
    var uart: UInt32 {
      switch self {
      case .baud9600: 0x0027_5000
      case .baud57600: 0x00EB_F000
      case .baud115200: 0x01D7_E000
      case .baud230400: 0x03AF_B000
      case .baud460800: 0x075F_7000
      case .baud921600: 0x0EBE_D000
      case .baud1M: 0x1000_0000
      }
    }

    /// BAUDRATE of the UARTE (nRF52840 Product Specification, "Registers").
    var uarte: UInt32 {
      switch self {
      case .baud9600: 0x0027_5000
      case .baud57600: 0x00EB_0000
      case .baud115200: 0x01D6_0000
      case .baud230400: 0x03B0_0000
      case .baud460800: 0x0740_0000
      case .baud921600: 0x0F00_0000
      case .baud1M: 0x1000_0000
      }
    }
  }

  /// CONFIG of UART and UARTE: no parity, one stop bit.
  struct SerialConfiguration: RegisterValue {
    let bits: UInt32
    init(bits: UInt32) { self.bits = bits }
    init(hasFlowControl: Bool) { bits = hasFlowControl ? 1 : 0 }
  }

  /// ERRORSRC of UART and UARTE. Bits are cleared by writing ones to them.
  struct SerialErrors: RegisterValue {
    let bits: UInt32
    var hasOverrun: Bool { bits & 1 != 0 }
    var hasFraming: Bool { bits & 0b1100 != 0 }
  }

  /// The registers common to UART and UARTE, at the same offsets.
  enum SerialRegisters {
    static var startRX: Register<Task> { Register(0x000) }
    static var stopRX: Register<Task> { Register(0x004) }
    static var startTX: Register<Task> { Register(0x008) }
    static var stopTX: Register<Task> { Register(0x00C) }
    static var rxdReady: Register<Event> { Register(0x108) }
    static var txdReady: Register<Event> { Register(0x11C) }
    static var error: Register<Event> { Register(0x124) }
    static var interruptSet: Register<UInt32> { Register(0x304) }
    static var interruptClear: Register<UInt32> { Register(0x308) }
    static var errorSource: Register<SerialErrors> { Register(0x480) }
    static var enable: Register<UInt32> { Register(0x500) }
    static var selectRTS: Register<PinSelect> { Register(0x508) }
    static var selectTXD: Register<PinSelect> { Register(0x50C) }
    static var selectCTS: Register<PinSelect> { Register(0x510) }
    static var selectRXD: Register<PinSelect> { Register(0x514) }
    static var baudRate: Register<UInt32> { Register(0x524) }
    static var configuration: Register<SerialConfiguration> { Register(0x56C) }
  }
}

extension RegisterBlock where Self: ~Copyable {
  /// Configures pins and baud rate of a UART or UARTE, which must be disabled.
  mutating func configureLine(_ pins: NRF.SerialPins, _ baudRate: UInt32) {
    typealias At = NRF.SerialRegisters
    let controlled = pins.hasFlowControl
    write(NRF.PinSelect(controlled ? pins.rts : nil), to: At.selectRTS)
    write(NRF.PinSelect(pins.txd), to: At.selectTXD)
    write(NRF.PinSelect(controlled ? pins.cts : nil), to: At.selectCTS)
    write(NRF.PinSelect(pins.rxd), to: At.selectRXD)
    write(baudRate, to: At.baudRate)
    write(NRF.SerialConfiguration(hasFlowControl: controlled), to: At.configuration)
  }

  /// Reads and clears the error sources, if an error was reported.
  mutating func takeErrors() -> NRF.SerialErrors? {
    typealias At = NRF.SerialRegisters
    guard hasHappened(At.error) else { return nil }
    clear(At.error)
    let errors = read(At.errorSource)
    write(errors, to: At.errorSource)
    return errors
  }
}
