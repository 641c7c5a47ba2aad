import Testing

@testable import HeraldDeviceLink

@Suite("Boot loader and reset")
struct OSManagementTests {
  @Test("the boot loader has a name, and nothing more is known of it")
  func bootLoader() {
    var device = TestDevice()
    // {"bootloader": "none"}; {"query": "mode"} → {"err": {"group": 0, "rc": 3}}, in version 1 {"rc": 5}
    check(
      answer(hex("08000001 0000 0108 A0"), &device)
        == hex("09000011 0000 0108 A1 6A 626F6F746C6F61646572 64 6E6F6E65"))
    check(
      answer(hex("0800000C 0000 0108 A1 65 7175657279 64 6D6F6465"), &device)
        == hex("09000011 0000 0108 A1 63 657272 A2 65 67726F7570 00 62 7263 03"))
    check(
      answer(hex("0000000C 0000 0108 A1 65 7175657279 64 6D6F6465"), &device)
        == hex("01000005 0000 0108 A1 62 7263 05"))
    // {"query": ""}: a query, too.
    check(
      answer(hex("08000008 0000 0108 A1 65 7175657279 60"), &device)
        == hex("09000011 0000 0108 A1 63 657272 A2 65 67726F7570 00 62 7263 03"))
    check(answer(hex("0A000001 0000 0108 A0"), &device) == hex("0B000005 0000 0108 A1 62 7263 08"))
    check(
      answer(hex("08000008 0000 0108 A1 65 7175657279 01"), &device)
        == hex("09000005 0000 0108 A1 62 7263 03"))
  }

  @Test("a device that erases everything restarts only when it is forced to")
  func force() {
    var device = TestDevice()
    device.erasing.total = 3
    device.erasing.done = 2
    check(answer(hex("0A000001 0000 0105 A0"), &device) == hex("0B000005 0000 0105 A1 62 7263 0A"))
    check(
      answer(hex("0A000008 0000 0105 A1 65 666F726365 00"), &device)
        == hex("0B000005 0000 0105 A1 62 7263 0A"))
    check(device.restarts == 0)
    check(answer(hex("0A000008 0000 0105 A1 65 666F726365 01"), &device) == hex("0B000001 0000 0105 A0"))
    check(device.restarts == 1)
    device.erasing.done = 3
    // What else there is in the map, such as the mode of the firmware, changes nothing.
    check(answer(hex("0A000000 0000 0105"), &device) == hex("0B000001 0000 0105 A0"))
    check(
      answer(hex("0A00000C 0000 0105 A1 69 626F6F745F6D6F6465 00"), &device) == hex("0B000001 0000 0105 A0"))
    check(device.restarts == 3)
    check(answer(hex("0A000001 0000 0105 80"), &device) == hex("0B000005 0000 0105 A1 62 7263 03"))
    check(device.restarts == 3)
  }

  @Test("a device without a boot loader does not restart into one")
  func noBootLoader() {
    var device = TestDevice()
    // {"boot_mode": 1} and {"force": 1, "boot_mode": 1} → {"rc": 8}
    check(
      answer(hex("0A00000C 0000 0105 A1 69 626F6F745F6D6F6465 01"), &device)
        == hex("0B000005 0000 0105 A1 62 7263 08"))
    check(
      answer(hex("0A000013 0000 0105 A2 65 666F726365 01 69 626F6F745F6D6F6465 01"), &device)
        == hex("0B000005 0000 0105 A1 62 7263 08"))
    // Text, and a number beyond 32 bits, are no modes.
    check(
      answer(hex("0A00000D 0000 0105 A1 69 626F6F745F6D6F6465 61 31"), &device)
        == hex("0B000005 0000 0105 A1 62 7263 03"))
    check(
      answer(hex("0A000014 0000 0105 A1 69 626F6F745F6D6F6465 1B 0000000100000000"), &device)
        == hex("0B000005 0000 0105 A1 62 7263 03"))
    check(device.restarts == 0)
  }
}
