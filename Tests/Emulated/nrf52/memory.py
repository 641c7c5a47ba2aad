"""The RAM of a chip, as its peripherals and tests use it."""

from .peripheral import Misuse

RAM = 0x20000000


class Memory:
    """`ram` is its contents."""

    def ram_range(self, address, count, who):
        """Refuses a buffer that direct memory access does not reach: RAM alone ("EasyDMA")."""
        if count == 0 or not RAM <= address <= address + count <= RAM + len(self.ram):
            raise Misuse(f"{who}: a buffer of {count} bytes at {address:#010x}")

    def load_ram(self, address, count, who):
        self.ram_range(address, count, who)
        return bytes(self.ram[address - RAM:address - RAM + count])

    def store_ram(self, address, data, who):
        self.ram_range(address, len(data), who)
        self.ram[address - RAM:address - RAM + len(data)] = data

    def words(self, address, count):
        """Words of RAM, for tests."""
        data = self.load_ram(address, 4 * count, "test")
        return [int.from_bytes(data[4 * place:4 * place + 4], "little") for place in range(count)]
