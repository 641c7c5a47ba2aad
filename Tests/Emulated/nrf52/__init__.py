"""A model of Nordic's nRF52833 and nRF52840 that runs images. Of the virtual probe in Tests/Flash it has the chips' memories and USB/IP."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Flash"))
