import Foundation
import HeraldCrypto
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// A report on the logs of an archive as one HTML page: who was near whom, how near and when, and how far the
/// logs can be trusted.
///
/// The page is self-contained and has no network access: its policy forbids everything but its own style and
/// script, which are named by their digests. All numbers and drawings are in the markup; the script only
/// filters them. Strings from devices, peers and the file of people are escaped as text. Its size is bounded
/// for any archive.
package struct WardReport: ReportSection {
  /// The usual file name of a report.
  package static let fileName = "report.html"
  /// How a report begins, by which an earlier one is known.
  private static let start = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="generator" content="herald-host report">

    """

  /// Whether a file that begins so is a report.
  package static func isReport(_ start: [UInt8]) -> Bool { start.starts(with: self.start.utf8) }

  let content: WardContent
  let findings: [ReportFinding]
  let bands: ReportBands
  var report: WardReport { self }
  /// The pages that could not be read, in words.
  let refused: [String]
  /// The archive's name, and the digest of what is in it.
  let origin: (location: String, digest: String)

  /// Queries a report on the days of `period`, and those of `focus`, from an archive that is up to date.
  /// `refused` names files that are not in it; `capacity` is that of the cells of all devices in mAh, `nil`
  /// for those of their boards.
  package init(
    _ archive: Archive, _ period: ReportPeriod = .all, focus: ReportFocus? = nil, refused: [String] = [],
    capacity: Double? = nil
  ) throws(HostLinkError) {
    content = try WardContent(archive, period, focus: focus, capacity: capacity)
    let location = archive.location.split(separator: "/").last.map(String.init) ?? archive.location
    origin = (PrintableText.of(location, limit: 200), try ArchiveDigest.of(archive))
    findings = ReportFinding.all(content)
    bands = ReportBands(limits: content.rules.bandLimits)
    self.refused = refused.map { PrintableText.of($0, limit: 300) }
  }

  /// Whether nobody was near anybody.
  package var isEmpty: Bool { content.pairs.isEmpty }

  /// Writes the report to a file that only its owner can read, or to a device or pipe.
  /// - Throws: `.storage` if it cannot be written.
  package func write(to path: String) throws(HostLinkError) {
    let file = try ReplacedFile(path, takesStream: true)
    try file.append(html)
    try file.finish()
  }

  /// The complete file, UTF-8.
  package var html: [UInt8] {
    var page = Markup()
    page.raw(Self.start)
    page.raw(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '\(Self.digest(ReportStyle.text))'; script-src '\(Self.digest(ReportScript.text))'; base-uri 'none'; form-action 'none'\">\n"
    )
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
    page.raw("<meta name=\"referrer\" content=\"no-referrer\">\n")
    page.element("title", "", title)
    page.raw("<style>\(ReportStyle.text)</style>\n</head>\n<body>\n")
    page.raw("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n")
    page.element("h1", "", title)
    page.element("p", "class=\"lead\"", lead)
    guard !content.dayNumbers.isEmpty, !content.whos.isEmpty else {
      page.raw("</header>\n<main id=\"content\">\n")
      page.element(
        "p", "",
        content.focus.map { "Nothing in these logs says whom \($0.name) was near in these days." }
          ?? "Nothing in these logs has a date in these days.")
      writeTrust(to: &page)
      writeNotes(to: &page)
      page.raw("</main>\n</body>\n</html>\n")
      return page.bytes
    }
    writeNavigation(to: &page)
    page.raw("</header>\n<main id=\"content\">\n")
    writeFilter(to: &page)
    writeOverview(to: &page)
    writeTrust(to: &page)
    if !content.isOfOneDevice {
      writeRoles(to: &page)
      writeNetwork(to: &page)
      writeMatrix(to: &page)
    }
    writeDirections(to: &page)
    TimelinesSection(report: self).write(to: &page)
    writeDevices(to: &page)
    writeNotes(to: &page)
    page.raw("</main>\n")
    writeData(to: &page)
    page.raw("<script>\(ReportScript.text)</script>\n</body>\n</html>\n")
    return page.bytes
  }

  private var title: String {
    if content.isOfOneDevice, let device = content.devices.first, content.devices.count == 1 {
      return "Contacts of \(content.name(of: device))"
    }
    return content.focus.map { "Who was near \($0.name)" } ?? "Who was near whom"
  }

  private var lead: String {
    guard let first = content.dayNumbers.first, let last = content.dayNumbers.last else {
      return "No days."
    }
    let span =
      first == last ? ReportText.day(first) : "\(ReportText.day(first)) to \(ReportText.day(last))"
    return "\(span). All times are civil time in \(ReportText.zone(content.days, content.dayNumbers))."
  }

  private func writeNavigation(to page: inout Markup) {
    page.raw("<nav aria-label=\"Sections\"><ul>\n")
    for (id, name) in sections { page.raw("<li><a href=\"#\(id)\">\(name)</a></li>\n") }
    page.raw("</ul></nav>\n")
  }

  private var sections: [(id: String, name: String)] {
    var sections = [("overview", "At a glance"), ("trust", "Check first")]
    if !content.isOfOneDevice {
      sections.append(("roles", "Roles"))
      if hasNetwork { sections.append(("network", "Network")) }
      sections += [("matrix", "Persons"), ("directions", "Who heard whom")]
    }
    return sections + [("people", "Timelines"), ("devices", "Badges"), ("notes", "How to read this")]
  }

  /// The source expression of a policy that allows an inline text.
  private static func digest(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let digest = SHA256.digest(of: bytes.span)
    return "sha256-\(Data(digest.indices.map { digest[$0] }).base64EncodedString())"
  }
}
