import Foundation

/// Builds HTML or SVG. Untrusted text is added with `text` or `attribute`, which escape all markup
/// characters.
struct Markup {
  private(set) var bytes: [UInt8] = []

  /// Appends markup without escaping.
  mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

  /// Appends other markup.
  mutating func append(_ other: Markup) { bytes += other.bytes }

  /// Appends untrusted text.
  mutating func text(_ text: String) { raw(Self.escaped(text)) }

  /// Appends an element with text in it.
  mutating func element(_ name: String, _ attributes: String = "", _ content: String) {
    raw(attributes.isEmpty ? "<\(name)>" : "<\(name) \(attributes)>")
    text(content)
    raw("</\(name)>\n")
  }

  /// The text with the markup characters of HTML replaced by character references.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
