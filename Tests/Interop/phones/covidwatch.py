"""Phones with CovidWatch, as its proof of concept describes them: Android advertises a number, iOS serves one for reading."""

import hashlib

from bumble.att import Attribute
from bumble.core import UUID
from bumble.gatt import Characteristic, CharacteristicValue, Service

import herald
from phones.phone import Phone

SERVICE = UUID.from_16_bits(0xC019)
CHARACTERISTIC = UUID("D61F4F27-3D6B-4B04-9E46-C9D2EA617F62")


class CovidWatchPhone(Phone):
    """- `shows`: an Android phone, with its number in service data; else an iPhone, whose number is read."""

    def __init__(self, air, name, address, *, shows, **options):
        super().__init__(air, name, address, b"", reads_peers=False, **options)
        self.shows = shows
        self.number = self.number_of(0)
        # The numbers that were read here, and those that were written.
        self.given = []
        self.taken = []

    def advertising_data(self):
        data = herald.flags() + bytes([3, 0x03, 0x19, 0xC0])
        return data + bytes([0x13, 0x16, 0x19, 0xC0]) + self.number if self.shows else data

    def services(self):
        properties = Characteristic.Properties.READ | Characteristic.Properties.WRITE
        number = Characteristic(
            CHARACTERISTIC, properties, Attribute.READABLE | Attribute.WRITEABLE,
            CharacteristicValue(read=self.give, write=lambda connection, value: self.taken.append(bytes(value))))
        return [Service(SERVICE, [number])]

    def give(self, connection):
        self.given.append(self.number_of(len(self.given) + 1))
        return self.given[-1]

    def number_of(self, count):
        """A unique number, the same in each run."""
        return hashlib.sha256(f"{self.name}, {count}".encode()).digest()[:16]
