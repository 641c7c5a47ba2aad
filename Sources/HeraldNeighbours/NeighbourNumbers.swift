import HeraldBluetooth
import HeraldEmbedded

extension ServiceNumber {
  /// CovidWatch: contact event numbers of 16 bytes (HP-52…HP-54).
  public static var covidWatch: ServiceNumber { ServiceNumber(rawValue: 0) }
  /// C19X: beacon codes of 8 bytes (HP-55).
  public static var c19x: ServiceNumber { ServiceNumber(rawValue: 1) }
}

extension AttributeTag {
  /// CovidWatch's characteristic.
  public static var contactEventNumber: AttributeTag { AttributeTag(rawValue: 16) }
  /// C19X's characteristic.
  public static var beaconCode: AttributeTag { AttributeTag(rawValue: 17) }
}
