#!/usr/bin/env bash
# Expected: a column of FIXED_LEN_BYTE_ARRAY(6) gives six bytes for each row: the length is part of the type.
# Seen: fastparquet leaves out zeros at the end, without a warning: of c1c2c3c4c500 come five bytes, of 000000000000
#   none; of a SHA-256 that ends in 00, 31. With a dictionary and without. The same bytes in a BYTE_ARRAY column are
#   complete, though there the format has no length to rely on. pyarrow reads all of them.
# Versions: fastparquet 2026.9.0, pyarrow 26.0.1 (writes the file), pandas 3.1.1, numpy 2.4.6, Python 3.11.
# Why it matters here: addresses, payloads and hashes are what one makes such columns of, to save space, from an export
#   with text. One value in 256 is then too short, and joins with nothing. The export's own columns are text or numbers.
# Needs python3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet --disable-pip-version-check install fastparquet==2026.9.0 pyarrow==26.0.1 pandas==3.1.1 \
  numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PROGRAM'
import sys
from importlib.metadata import version
import fastparquet
import pyarrow
import pyarrow.parquet

ADDRESSES = [bytes.fromhex(digits) for digits in ("c1c2c3c4c506", "c1c2c3c4c500", "c1c2c3c40000", "000000000000")]
SHORTENED = [bytes.fromhex(digits) for digits in ("c1c2c3c4c506", "c1c2c3c4c5", "c1c2c3c4", "")]
HASH = bytes(range(1, 32)) + b"\0"
table = pyarrow.table({
    "address": pyarrow.array(ADDRESSES, pyarrow.binary(6)),
    "sha256": pyarrow.array([HASH] * 4, pyarrow.binary(32)),
    "variable": pyarrow.array(ADDRESSES, pyarrow.binary()),
})
print(*(f"{name} {version(name)}" for name in ("fastparquet", "pyarrow", "pandas", "numpy")), sep=", ")
has_changed = False
for has_dictionary in (False, True):
    pyarrow.parquet.write_table(table, "addresses.parquet", use_dictionary=has_dictionary)
    file = fastparquet.ParquetFile("addresses.parquet")
    print(f"dictionary {has_dictionary}; fastparquet's schema: {str(file.schema).splitlines()[1].strip()}")
    read = {name: list(column) for name, column in file.to_pandas().items()}
    for row, address in enumerate(ADDRESSES):
        print(f"  {address.hex()}: fixed {read['address'][row].hex() or '-'}, variable {read['variable'][row].hex()}")
    print(f"  a SHA-256 that ends in 00: {len(read['sha256'][0])} bytes")
    has_changed |= read != {"address": SHORTENED, "sha256": [HASH[:31]] * 4, "variable": ADDRESSES}
    has_changed |= not pyarrow.parquet.read_table("addresses.parquet").equals(table)
if has_changed:
    sys.exit("the behaviour has changed")
PROGRAM
