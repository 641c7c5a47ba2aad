/// A page of 204 bytes with 8,193 readings: one more than a page's first segment may hold. Written by an
/// encoder in Python from docs/log-format.md: one target, always -50 dBm, all at the same time.
public let overfullLogPage = hexBytes(
  """
  484c6f6702041000070000000100000001000000000000000000000000000000
  00000000adc0e7f87dfdafffffffffffa5bf865f88a4b5eeb22881b16350865b
  f709815c7d0ae58ff5c173a6c3a5a2e4bb84a01c807d572b923a4bcf32789272
  1587510d14b6e0f159d0972a6ee68835d8c3f0977ef822eae490d41077e18771
  6ba38fbf2c19d7a11d1fec63e4500ffc423e799f54a0c0640a9c8653468a299c
  f8876e95381360c8a0d0d5fdd52cc349339f1b834ba36cd836fdea0f955f7c9f
  07b5dce0da512420005129ff
  """)
