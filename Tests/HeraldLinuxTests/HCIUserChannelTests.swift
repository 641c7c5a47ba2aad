import Glibc
import Testing

@testable import HeraldLinux

@Suite("HCI user channel")
struct HCIUserChannelTests {
  @Test("an adapter that cannot be had is an error that says why")
  func refused() {
    do {
      _ = try HCIUserChannel(adapter: 4711)
      Issue.record("this machine has no 4711 adapters")
    } catch {
      #expect(error.subject == "hci4711")
      #expect([EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV, EPERM].contains(error.code), "\(error)")
    }
  }

  @Test("each refusal names its remedy")
  func remedies() {
    #expect(
      HCIUserChannel.failure("open a Bluetooth socket for", "hci0", code: EAFNOSUPPORT).description
        == "cannot open a Bluetooth socket for hci0: this kernel has no Bluetooth; load the module `bluetooth`, or reach the controller over h4:, tcp: or unix:"
    )
    #expect(
      HCIUserChannel.failure("take", "hci0", code: EBUSY).description
        == "cannot take hci0: the adapter is up, or another program has it; take it down first: `btmgmt --index 0 power off`, or stop bluetoothd; if it is not listed there, end that program"
    )
    #expect(HCIUserChannel.failure("take", "hci0", code: EPERM).advice.contains("CAP_NET_ADMIN"))
    #expect(HCIUserChannel.failure("take", "hci0", code: ENODEV).advice.contains("/sys/class/bluetooth"))
  }
}
