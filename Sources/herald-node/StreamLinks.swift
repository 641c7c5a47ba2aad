import HeraldDeviceLink
import HeraldHAL
import HeraldLinux

/// The management links over byte streams.
struct StreamLinks: ~Copyable {
  private var links: [StreamLinkBox] = []

  init(_ addresses: [StreamLinkAddress]) throws(SystemFailure) {
    for address in addresses { links.append(StreamLinkBox(try StreamLink(address))) }
  }

  /// Prints the address of each link.
  func announce() {
    for box in links { Announcement.say("link \(box.link.location)") }
  }

  func prepare(_ polls: inout PollSet, at now: Instant) {
    for box in links { box.link.prepare(&polls, at: now) }
  }

  func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) {
    for box in links { box.link.serve(at: now, device: &device) }
  }
}

/// Holds a link: arrays cannot contain non-copyable values.
private final class StreamLinkBox {
  var link: StreamLink
  init(_ link: consuming StreamLink) { self.link = link }
}
