#!/usr/bin/env bash
# Expected: bluetooth-sig decodes and encodes the values of characteristics as their specifications say. Those
#   of medical devices are SFLOAT and FLOAT of IEEE 11073: a mantissa times a power of ten, both in two's
#   complement.
# Seen: the exponent is taken as one with a bias, of 8 in an SFLOAT and of 128 in a FLOAT. A saturation of 97 %
#   is 9.7e-07 if the sensor sends it as 97, and 9700000000 as 97.0; 120 mmHg are 1.2e-06; 36.5 degrees are
#   3.65e+129 and 37 degrees 3.7e-127. There is no error. Encoding has the same bias: what it has encoded it
#   decodes, so that a test with own values passes, but any other receiver takes the 97 for 9.7e-07.
# Versions: bluetooth-sig 0.6.0 with msgspec 0.23.0, Python 3.11.
# Why it matters here: in a ward thermometers and oximeters are received beside badges, and contacts are looked
#   up for those with a fever or too little oxygen. A thermometer that sends decimals finds a fever in
#   everybody, one that sends whole degrees in nobody.
# The values are by hand from the specifications. Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install bluetooth-sig==0.6.0 msgspec==0.23.0
"$folder/venv/bin/python" - <<'PROGRAM'
import sys
from importlib.metadata import version
import msgspec
from bluetooth_sig import BluetoothSIGTranslator

# Characteristic, a value without optional fields, what it is, what is decoded, what is encoded of what it is.
CASES = [
    ("2A5E", "0061004800", {"spo2": 97, "pulse_rate": 72}, (9.7e-07, 7.2e-07), "0061804880"),
    ("2A5E", "00caf34800", {"spo2": 97, "pulse_rate": 72}, (9.7e09, 7.2e-07), "0061804880"),
    ("2A35", "00780050005d00", {"systolic": 120, "diastolic": 80, "mean_arterial_pressure": 93},
     (1.2e-06, 8e-07, 9.3e-07), "00788050805d80"),
    ("2A1C", "006d0100ff", {"temperature": 36.5}, (3.65e129,), "00d0b1377b"),
    ("2A1C", "0025000000", {"temperature": 37}, (3.7e-127,), "002075387b"),
]
print(*(f"{name} {version(name)}" for name in ("bluetooth-sig", "msgspec")), sep=", ")
translator = BluetoothSIGTranslator()
has_changed = False
for uuid, value, meaning, wrong, wrong_value in CASES:
    read = translator.parse_characteristic(uuid, bytes.fromhex(value))
    decoded = tuple(float(f"{getattr(read, field):.6g}") for field in meaning)
    written = bytes(translator.encode_characteristic(uuid, msgspec.structs.replace(read, **meaning)))
    again = translator.parse_characteristic(uuid, written)
    is_same = all(abs(getattr(again, field) / number - 1) < 1e-6 for field, number in meaning.items())
    print(f"{uuid} {value} is {meaning}: decoded {decoded};")
    print(f"  encoded {written.hex()}, which decodes to the same: {is_same}")
    has_changed |= (decoded, written.hex(), is_same) != (wrong, wrong_value, True)
if has_changed:
    sys.exit("the behaviour has changed")
PROGRAM
