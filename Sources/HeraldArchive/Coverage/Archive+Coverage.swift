import HeraldHostLink

extension Archive {
  /// What is recorded of a person or a device from a date until another one, in milliseconds since
  /// 1970-01-01T00:00:00Z.
  ///
  /// A person is covered by the devices that were assigned by the file of people, each while it was.
  /// - Returns: `nil` if the archive knows no person or device of this name: phones, places and addresses have
  ///   no log of their own.
  package func coverage(of label: String, from: Int64, to: Int64) throws(HostLinkError) -> Coverage? {
    try CoverageReader(self).coverage(of: label, from: from, to: to)
  }

  /// The same of every person, and of every device that is assigned to nobody in that time, by name.
  package func coverages(from: Int64, to: Int64) throws(HostLinkError) -> [Coverage] {
    try CoverageReader(self).coverages(from: from, to: to)
  }
}
