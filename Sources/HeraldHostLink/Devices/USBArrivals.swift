import CLibUSB
import Foundation

/// Tells when a device was connected to this computer or disconnected: by the callbacks of libusb, or, where
/// it has none, by comparing its list of devices. Used by one thread.
final class USBArrivals {
  /// The time between two comparisons without callbacks, in milliseconds.
  static let pollingPeriod = 500
  /// The same with callbacks, in case one is missed.
  static let checkPeriod = 5_000

  /// Whether libusb has callbacks on this computer.
  let hasCallbacks: Bool

  private let library: LibUSB
  private var registration: libusb_hotplug_callback_handle = 0

  /// Opens the library and registers for its callbacks.
  /// - Throws: `.link` if the system has no USB.
  init() throws(HostLinkError) {
    let library = try LibUSB()
    self.library = library
    var isRegistered = false
    var registration: libusb_hotplug_callback_handle = 0
    let flag = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    flag.initialize(to: false)
    self.flag = flag
    if libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 {
      let events = Int32(
        LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue)
      let any = Int32(LIBUSB_HOTPLUG_MATCH_ANY)
      let code = libusb_hotplug_register_callback(
        library.context, events, 0, any, any, any,
        { _, _, _, pointer in
          pointer?.assumingMemoryBound(to: Bool.self).pointee = true
          return 0
        }, flag, &registration)
      isRegistered = code == 0
    }
    self.registration = registration
    hasCallbacks = isRegistered
  }

  /// What the callback writes to.
  private let flag: UnsafeMutablePointer<Bool>

  deinit {
    if hasCallbacks { libusb_hotplug_deregister_callback(library.context, registration) }
    flag.deallocate()
  }

  /// The devices with a Herald link at this time. The number of the device file, which is another one after
  /// each connection, distinguishes a device from the one that was at the same port before.
  var locations: [DeviceLocation] {
    library.heraldLocations().map {
      DeviceLocation(selector: .usb(path: $0.path), instance: "usb:\($0.path) \($0.node)")
    }
  }

  /// Waits until a callback has occurred, or for as long as the list may be older than it.
  func wait() {
    flag.pointee = false
    let period = hasCallbacks ? Self.checkPeriod : Self.pollingPeriod
    let end = Deadline.after(.milliseconds(Int64(period)))
    while !flag.pointee, !end.hasPassed {
      let wait = Int(end.remainingMilliseconds)
      guard hasCallbacks else {
        usleep(UInt32(wait) * 1000)
        return
      }
      var time = timeval(tv_sec: wait / 1000, tv_usec: wait % 1000 * 1000)
      libusb_handle_events_timeout_completed(library.context, &time, nil)
    }
  }
}
