import Foundation

/// Serial lines of this computer to which a device may be connected.
public enum SerialLines {
  /// The paths of the serial lines of USB devices, sorted.
  public static var paths: [String] { paths(in: "/dev") }

  static func paths(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB")
    }.sorted().map { "\(folder)/\($0)" }
  }
}
