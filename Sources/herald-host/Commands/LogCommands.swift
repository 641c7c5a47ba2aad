import ArgumentParser
import HeraldHostLink

/// `herald-host log`
struct LogCommands: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Fetches the log of a device and turns it into tables.",
    subcommands: [Pull.self, Convert.self])

  /// Makes everything that is made of pages: the tables of the phones and others, and the database.
  static func convert(_ folder: PageArchive) throws -> LogConversion {
    let conversion = try LogConversion(folder)
    try conversion.write(to: folder)
    _ = try Archive(path: "\(folder.path)/\(Archive.fileName)").add(folder)
    return conversion
  }

  /// `herald-host log pull`
  struct Pull: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetches what is new in a device's log.",
      discussion: """
        The folder then holds the raw pages; contacts.csv, statistics.csv, detection.csv and, if the device has a \
        battery, battery.csv, all of them as Herald phones write them; files of contacts, visits, messages, \
        models and codes of other systems; and archive.sqlite, a database of all of it. Nothing is erased on the device. A pull that is \
        cut off goes on where it was when it is started again.
        """)

    @OptionGroup var options: DeviceOptions
    @Option(
      name: [.customLong("output"), .customShort("o")],
      help: ArgumentHelp("The folder for this device's log; made if it is not there.", valueName: "dir"))
    var folder: String
    @OptionGroup var display: OutputOptions
    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func run() throws {
      let archive = try PageArchive(path: folder, create: true)
      let bar = ProgressBar(isQuiet: quiet)
      let report: PullReport = try options.withDevice { device, open in
        try Self.bind(archive, to: device, open)
        var download = LogDownload(
          device: device, archive: archive,
          progress: { progress in
            bar.update(
              done: progress.pages, of: progress.ofPages,
              text:
                "\(progress.pages) of \(Console.count(progress.ofPages, "page")), \(Console.size(progress.bytes))"
            )
          })
        defer { bar.finish() }
        return try download.run()
      }
      // Whatever ended the pull, what is here is worth having.
      let conversion = try LogCommands.convert(archive)
      let result = PullResult(folder: folder, conversion: conversion, report: report)
      if display.json {
        try Console.printJSON(result)
      } else if !quiet {
        result.show()
      }
      for problem in report.problems { Console.note("herald-host: \(problem)") }
      if let error = report.stoppedBy { Console.complain(error) }
      guard report.isComplete else {
        throw HostLinkError(
          .partial, "not all of the log is here; what is here is kept", advice: "run the same command again")
      }
    }

    /// A folder holds the log of one device: refuses another's before anything is mixed.
    private static func bind(_ archive: PageArchive, to device: DeviceClient, _ open: OpenDevice) throws {
      let information = try device.information()
      let serial = open.identity.serial.isEmpty ? information.serial : open.identity.serial
      let known = archive.device.serial
      guard known.isEmpty || serial.isEmpty || known == serial else {
        throw HostLinkError(
          .usage, "\(archive.path) holds the log of device \(known), and this is device \(serial)",
          advice: "choose another folder with --output")
      }
      try archive.updateDevice { record in
        if !serial.isEmpty { record.serial = serial }
        let name = open.identity.product.isEmpty ? information.board : open.identity.product
        if !name.isEmpty { record.name = name }
        if !information.firmware.isEmpty { record.system = information.firmware }
        if !information.release.isEmpty { record.version = information.release }
      }
    }
  }

  /// `herald-host log convert`
  struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the tables of a pulled log again, without a device.")

    @Argument(help: "The folder of a pulled log.")
    var dir: String
    @OptionGroup var display: OutputOptions
    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    func run() throws {
      let conversion = try LogCommands.convert(try PageArchive(path: dir, create: false))
      let result = PullResult(folder: dir, conversion: conversion, report: nil)
      if display.json {
        try Console.printJSON(result)
      } else if !quiet {
        result.show()
      }
      guard conversion.damagedPages.isEmpty else {
        for page in conversion.damagedPages { Console.note("herald-host: \(page)") }
        throw HostLinkError(
          .partial, "\(Console.count(conversion.damagedPages.count, "page")) could not be read to the end")
      }
    }
  }
}
