import Foundation
import Testing

/// Files are opened in few places: those know that only ENOENT is absence, bound what they read, and follow
/// no symbolic link when they write.
@Suite("Access to files")
struct FileAccessTests {
  /// The modules of the host.
  private static let modules = [
    "HeraldHostLink", "HeraldArchive", "HeraldParquet", "HeraldImages", "HeraldFlash", "HeraldConsole",
    "herald-host", "herald-flash",
  ]

  /// Files that read, and why they may.
  private static let readers: [String: String] = [
    "HeraldHostLink/LocalFile.swift": "the function of host programs",
    // Files of the system, of which what is not there and what cannot be read are the same.
    "HeraldHostLink/Doctor/MachineExamination.swift": "/proc, /dev, rules of udev",
    "HeraldHostLink/Devices/SerialLines.swift": "/dev/serial",
    "HeraldHostLink/Transports/LibUSB.swift": "/sys, and the permission of a device's node",
    "HeraldFlash/Probe/LibUSBProbePipe.swift": "/sys",
    "HeraldFlash/SerialDFU/ProgrammingMethod+SerialDFU.swift": "/sys",
    "HeraldFlash/Drive/ProgrammingMethod+Drive.swift": "/proc/self/mounts",
    "HeraldFlash/Drive/DriveFolder.swift": "drives of boot loaders, and /sys",
    // Lines and folders, not files.
    "HeraldArchive/Export/Archive+Export.swift": "a lock on a folder",
    "HeraldParquet/OutputFile.swift": "syncs a folder",
    "HeraldHostLink/Secrets/PrivateFile.swift": "syncs a folder",
    "herald-host/Dock/DockHook.swift": "whether a program can be run",
    "HeraldFlash/Boards/BuiltImages.swift": "which of several images is there; it is read by others",
    "HeraldFlash/Signing/ImageTrust.swift": "whether a key is there; without one every image is refused",
    "herald-flash/Options/TrustOptions.swift":
      "whether a signature is there; without one the image is refused",
    "HeraldArchive/Efficacy/TextLines.swift": "the first line of a file that was found",
    "HeraldArchive/Storage/SQLiteConnection.swift": "the header of a database that could not be used",
    "HeraldHostLink/Secrets/CheckoutExclusion.swift": ".gitignore, of which nothing depends",
  ]

  /// Files that write, and why they may.
  private static let writers: [String: String] = [
    "HeraldHostLink/LocalFile.swift": "the function of host programs",
    "HeraldParquet/OutputFile.swift": "O_EXCL and O_NOFOLLOW: the module knows no other",
    "HeraldHostLink/Doctor/MachineExamination.swift": "a rule of udev: O_NOFOLLOW",
    "HeraldHostLink/Secrets/CheckoutExclusion.swift": ".gitignore: O_NOFOLLOW",
    // Lines and drives, not files.
    "HeraldHostLink/Transports/ByteStream.swift": "serial lines",
    "HeraldHostLink/Secrets/Passphrase.swift": "the terminal",
    "HeraldFlash/Drive/DriveFolder.swift": "drives of boot loaders",
    // Files that the user has named, which have rules of their own.
    "herald-host/Commands/Capture.swift": "O_EXCL",
  ]

  /// Lines of sources that match a pattern, by file.
  private func lines(_ pattern: some RegexComponent) throws -> [String: [Substring]] {
    var found: [String: [Substring]] = [:]
    for path in DocumentReferences.ofThisPackage.files.sorted() where path.hasSuffix(".swift") {
      let parts = path.split(separator: "/", maxSplits: 2)
      guard parts.count == 3, parts[0] == "Sources", Self.modules.contains(String(parts[1])) else { continue }
      for line in try #require(ComplianceTable.text(of: path)).split(separator: "\n") {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//"), code.contains(pattern) else { continue }
        found["\(parts[1])/\(parts[2])", default: []].append(code)
      }
    }
    return found
  }

  @Test("A file is read, or found missing, by the functions for it alone")
  func reading() throws {
    let pattern =
      #/contents\(atPath|contentsOfFile|contentsOf: URL|forReading|fileExists|isReadableFile|attributesOfItem|contentsOfDirectory|O_RDONLY|\bF_OK\b|\bR_OK\b|\bX_OK\b|\bfopen\(|\bopendir\(/#
    let found = try lines(pattern)
    #expect(found["HeraldHostLink/LocalFile.swift"]?.isEmpty == false)
    for (file, lines) in found.sorted(by: { $0.key < $1.key }) where Self.readers[file] == nil {
      Issue.record("\(file) reads by itself: \(lines.joined(separator: "; "))")
    }
  }

  @Test("A file is opened for writing by the functions for it alone")
  func writing() throws {
    let pattern =
      #/O_WRONLY|O_RDWR|O_CREAT|createFile|forWriting|forUpdating|\.write\(to: URL|toFile:|\bfopen\(|\bcreat\(/#
    let found = try lines(pattern)
    #expect(found["HeraldHostLink/LocalFile.swift"]?.isEmpty == false)
    for (file, lines) in found.sorted(by: { $0.key < $1.key }) where Self.writers[file] == nil {
      Issue.record("\(file) writes by itself: \(lines.joined(separator: "; "))")
    }
  }

  @Test("A database in a folder is opened behind the check of its names")
  func databases() throws {
    for (file, _) in try lines(#/DatabaseQueue\(path: path|DatabasePool\(/#) {
      let text = try #require(ComplianceTable.text(of: "Sources/\(file)"))
      #expect(text.contains("LocalFile.prepareDatabase"), "\(file)")
    }
  }
}
