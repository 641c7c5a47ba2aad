import HeraldEmbedded

extension Setting {
  /// The setting of this name; `nil` if there is none.
  public init?(name: Span<UInt8>) {
    var index: UInt8 = 0
    while let setting = Setting(rawValue: index) {
      if name.equals(setting.description.name) {
        self = setting
        return
      }
      index &+= 1
    }
    return nil
  }
}
