#!/usr/bin/env python3
"""Runs the tests of this folder; with `-k WORD`, those whose names contain the word."""

import logging
import sys
import unittest

from emulator import ROOT

if __name__ == "__main__":
    # Bumble's warnings about commands unknown to its controllers are not relevant here.
    logging.basicConfig(level=logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    # Only figures of this run are kept.
    (ROOT / ".build" / "figures" / "emulated.json").unlink(missing_ok=True)
    here = __file__.rsplit("/", 1)[0]
    unittest.main(module=None, argv=[sys.argv[0], "discover", "-v", "-s", here, *sys.argv[1:]])
