"""The proxy that sets RSSI values: a tool of the other cases."""

from h4_rssi_proxy import RSSIValues, Walk, packet_length, rewrite


def rssi_values(**walks):
    return RSSIValues({address.replace("_", ":"): Walk.parse(text) for address, text in walks.items()})


async def case_proxy_sets_the_rssi_of_each_report_of_an_event():
    one = bytes.fromhex("00 01 010203040506 02 AABB CE")
    two = bytes.fromhex("03 01 A1A2A3A4A5A6 00 CE")
    event = bytes([0x04, 0x3E, 2 + len(one) + len(two), 0x02, 2]) + one + two
    changed = rewrite(event, rssi_values(**{"06_05_04_03_02_01": "-61", "A6_A5_A4_A3_A2_A1": "-83"}))
    assert changed == event[:5] + one[:-1] + bytes([0xC3]) + two[:-1] + bytes([0xAD])


async def case_proxy_sets_the_rssi_of_extended_reports():
    report = bytes.fromhex("0100 01 010203040506 01 01 00 00 CE 0000 00 000000000000 03 AABBCC")
    event = bytes([0x04, 0x3E, 2 + len(report), 0x0D, 1]) + report
    changed = rewrite(event, rssi_values(**{"06_05_04_03_02_01": "-70"}))
    assert changed == event[:5] + report[:13] + bytes([0xBA]) + report[14:]
    assert rewrite(event, rssi_values(**{"00_00_00_00_00_00": "-70"})) == event


async def case_proxy_leaves_other_packets_alone():
    for text in ("04 0E 04 01 03 0C 00", "02 01 20 03 00 01 02 03", "04 3E 01 02"):
        packet = bytes.fromhex(text)
        assert packet_length(packet) == len(packet)
        assert rewrite(packet, rssi_values(**{"*": "-70"})) == packet


async def case_proxy_walks_in_straight_lines():
    walk = Walk.parse("10:-90 20:-50 30:-90")
    assert [walk.at(t) for t in (0, 10, 15, 20, 25, 30, 99)] == [-90, -90, -70, -50, -70, -90, -90]
