#!/usr/bin/env bash
# Expected: the name that tshark shows for an attribute handle is from the discovery of this connection's peer. Each GATT
#   server has handles of its own, and tshark knows the address of the peer in each of these packets.
# Seen: there is one table of handles for the capture. After a second peer has been discovered, its UUIDs are shown for
#   the first one, too, although the capture has the first one's response; the value is decoded by the wrong UUID and
#   found by the wrong filter (a battery of 72 % becomes a transmit power of 72 dBm). The response with which the second
#   peer is discovered has both UUIDs. Without the second peer the first one's name is right.
# Versions: tshark 4.0.17-0+deb12u3 of Debian 12, amd64.
# Why it matters here: the capture of a node has connections with many peers, some of them at the same time, and merged
#   captures have those of many nodes. A name there belongs to whoever was discovered last. btmon 5.66 prints the handle
#   alone in this case.
# Both captures have the data link LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR (201); a central's packets, by hand from the
# specification. Needs python3 and an updated list of packages.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
pinned=4.0.17-0+deb12u3
packages=()
for name in tshark libwireshark16 libwireshark-data libwiretap13 libwsutil14; do packages+=("$name=$pinned"); done
for name in libbrotli1 libc-ares2 libdbus-1-3 libglib2.0-0 libicu72 libk5crypto3 libkeyutils1 libkrb5-3 libkrb5support0 \
  liblua5.2-0 libnghttp2-14 libpcap0.8 libsmi2ldbl libsnappy1v5 libxml2; do
  dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || packages+=("$name")
done
apt-get --quiet=2 --option APT::Sandbox::User=root download "${packages[@]}"
for package in *.deb; do dpkg-deb -x "$package" root; done
export HOME=$folder WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
python3 - <<'PROGRAM'
import struct, subprocess, sys

CONNECTED = {  # LE Connection Complete, connection 0x0040, central; the address of a peer, its last byte first
    "first": bytes.fromhex("04 3e 13 01 00 4000 00 01 c6c5c4c3c2c1 1800 0000 c800 00"),
    "second": bytes.fromhex("04 3e 13 01 00 4000 00 01 d6d5d4d3d2d1 1800 0000 c800 00"),
}
DISCONNECTED = bytes.fromhex("04 05 04 00 4000 13")
FIND = bytes.fromhex("02 4000 0900 0500 0400 04 0d00 0d00")
FOUND = {
    "first": bytes.fromhex("02 4020 0a00 0600 0400 05 01 0d00 192a"),  # 0x2A19 Battery Level
    "second": bytes.fromhex("02 4020 0a00 0600 0400 05 01 0d00 072a"),  # 0x2A07 Tx Power Level
}
READ = bytes.fromhex("02 4000 0700 0300 0400 0a 0d00")
VALUE = bytes.fromhex("02 4020 0600 0200 0400 0b 48")
FIELDS = ("frame.number", "btatt.opcode", "bthci_acl.src.bd_addr", "btatt.uuid16", "btatt.battery_level",
          "btatt.tx_power_level")


def discover(peer):
    return [(1, CONNECTED[peer]), (0, FIND), (1, FOUND[peer]), (1, DISCONNECTED)]


def responses(name, packets):
    """What tshark shows of the ATT responses: number of the frame, opcode, address, UUIDs, battery, transmit power."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 201)
    for second, (direction, packet) in enumerate(packets):
        data += struct.pack("<IIII", second, 0, len(packet) + 4, len(packet) + 4) + struct.pack(">I", direction) + packet
    with open(name, "wb") as file:
        file.write(data)
    command = ["root/usr/bin/tshark", "-r", name, "-Y", "btatt.opcode in {5, 11}", "-T", "fields"]
    for field in FIELDS:
        command += ["-e", field]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    lines = [tuple(line.split("\t")) for line in result.stdout.splitlines()]
    print(f"{name}: {', '.join(FIELDS)}")
    for line in lines:
        print("  " + " | ".join(value or "-" for value in line))
    return lines


version = subprocess.run(["root/usr/bin/tshark", "--version"], capture_output=True, text=True, check=True).stdout
print(version.splitlines()[0])
read = [(1, CONNECTED["first"]), (0, READ), (1, VALUE), (1, DISCONNECTED)]
alone = responses("alone.pcap", discover("first") + read)
both = responses("both.pcap", discover("first") + discover("second") + read)
FIRST, SECOND = "c1:c2:c3:c4:c5:c6", "d1:d2:d3:d4:d5:d6"
if alone != [("3", "0x05", FIRST, "0x2a19", "", ""), ("7", "0x0b", FIRST, "0x2a19", "72", "")] or both != [
    ("3", "0x05", FIRST, "0x2a19", "", ""),
    ("7", "0x05", SECOND, "0x2a19,0x2a07", "", ""),
    ("11", "0x0b", FIRST, "0x2a07", "", "72"),
]:
    sys.exit("the behaviour has changed")
PROGRAM
