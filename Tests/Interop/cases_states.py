"""Every phone in every state of its app: discovery (D), tracking (T) and resuming (R), as
the tables of Herald's document on testing beacons have them, from the wearable's own log."""

import asyncio

import herald
from contact_rows import pull_until, rows_of, summary, time_of
from matrix import Matrix
from node import PATIENCE
from world import World, until

OWN = herald.fixed_payload(826, 4, 1234567890)
# A phone is tracked if it is measured for this time, in each quarter of it.
TRACKED_SECONDS = 4.0
# Phones stay away for longer than the expiry of targets.
EXPIRY_SECONDS = 6
# Long enough for twenty phones.
INTERVAL = 250

ANDROID_STATES = ["Foreground", "Background", "Terminated"]
IOS_STATES = ["Foreground", "Background", "Suspended", "Terminated"]
ANDROID_KINDS = {
    "Herald 2.1 and later": {},
    "Herald 2.0": {"legacy": True},
    "another address every 2 s": {"rotates": 2.0},
    "cannot advertise": {"advertises": False, "payload_period": 3.0, "rssi_period": 0.5},
}
IOS_KINDS = {
    "Herald 2.1 and later": {},
    "Herald 2.0": {"legacy": True},
    "gone for 20 minutes": {},
}

WEARABLE_ANDROID = Matrix(
    "Wearable – Android phone", "Wearable central \\ Android peripheral", ANDROID_STATES, list(ANDROID_KINDS))
WEARABLE_IOS = Matrix("Wearable – iOS phone", "Wearable central \\ iOS peripheral", IOS_STATES, list(IOS_KINDS))
ANDROID_WEARABLE = Matrix(
    "Android phone – wearable", "Android central \\ Wearable peripheral", list(ANDROID_KINDS), ANDROID_STATES)
IOS_WEARABLE = Matrix("iOS phone – wearable", "iOS central \\ Wearable peripheral", list(IOS_KINDS), IOS_STATES)
MATRICES = [WEARABLE_ANDROID, WEARABLE_IOS, ANDROID_WEARABLE, IOS_WEARABLE]


class Subject:
    """A phone in one state, and the results for it: from the wearable's log, and from the phone."""

    def __init__(self, phone, kind, state, seen_in, sees_in):
        self.phone = phone
        self.kind = kind
        self.state = state
        self.seen_in = seen_in
        self.sees_in = sees_in
        self.is_there = not (state == "Terminated" and seen_in is WEARABLE_ANDROID)
        # The identities under which the wearable detected it, one for each visit; the number of receptions of the wearable by the phone at certain times.
        self.identities = [phone.identity]
        self.heard = []

    @property
    def name(self):
        return f"{self.seen_in.corner.split()[-2]} {self.kind}, {self.state.lower()}"

    # Results from the log.

    def detected(self, rows, since=0.0):
        """Whether it was detected after a moment, then read, and its payload is its own."""
        identity = self.phone.identity
        events = [row for row in rows if row["id"] == identity and time_of(row) > since]
        detections = [time_of(row) for row in events if row["detect"]]
        reads = [row for row in events if row["read"]]
        return bool(detections and reads) and detections[0] <= time_of(reads[0]) and {
            row["data"] for row in reads} == {herald.short_name(self.phone.payload)}

    def tracked(self, rows, start):
        """Whether it was measured for long enough from a moment on, and in each quarter of that time."""
        times = [time_of(row) for row in rows_of(rows, self.phone, "measure") if time_of(row) >= start]
        if not times or times[-1] - times[0] < TRACKED_SECONDS:
            return False
        span = times[-1] - times[0]
        return {min(3, int((when - times[0]) / span * 4)) for when in times} == {0, 1, 2, 3}

    def is_gone(self, rows):
        """Whether its last record in the log is its removal."""
        events = [row for row in rows if row["id"] == self.phone.identity]
        return bool(events and events[-1]["delete"])

    def resumed(self, rows, since):
        """Whether it was measured again after a moment, and known to be the same payload."""
        return self.detected(rows, since) and any(
            time_of(row) > since for row in rows_of(rows, self.phone, "measure"))

    # Results from the phone.

    @property
    def heard_of_us(self):
        return self.phone.heard[self.phone.address_of(OWN)]

    async def return_with(self, away):
        """Returns; after 20 minutes an iPhone has another address and has discarded those of others."""
        if away == "gone for 20 minutes":
            number = self.phone.address[-2:]
            self.phone.address = f"F0:D1:00:00:11:{number}"
            self.phone.met.clear()
            self.phone.heard.clear()
            self.identities.append(self.phone.identity)
        # An iPhone that had been woken sleeps again.
        self.phone.state = self.state.lower()
        await self.phone.arrive()


async def everybody(world):
    """A phone of each kind in each state."""
    subjects = []
    for kind, options in ANDROID_KINDS.items():
        for state in ANDROID_STATES:
            phone = await world.android(len(subjects) + 1, state=state.lower(), advertising_interval=INTERVAL, **options)
            subjects.append(Subject(phone, kind, state, WEARABLE_ANDROID, ANDROID_WEARABLE))
    for kind, options in IOS_KINDS.items():
        for state in IOS_STATES:
            phone = await world.ios(len(subjects) + 1, state=state.lower(), advertising_interval=INTERVAL, **options)
            subjects.append(Subject(phone, kind, state, WEARABLE_IOS, IOS_WEARABLE))
    return subjects


def missing(subjects, holds):
    return ", ".join(subject.name for subject in subjects if not holds(subject)) or "nothing"


async def case_discovers_tracks_and_resumes_phones_in_every_state():
    """HP-55, HP-03, HP-16, HP-57."""
    await discover_track_and_resume(World(apart=True, able=True))


async def discover_track_and_resume(world):
    """Fills the tables in a world in which each phone is in range of the node only, and checks that every phone that is there is discovered, tracked and
    resumed by the node, and the node by it."""
    async with world:
        output = world.folder / "out"
        node = await world.node("--link", "tcp:0", "--expiry", str(EXPIRY_SECONDS))
        neighbours = [await world.neighbour(number, kind) for number, kind in enumerate(
            ("television", "earphones", "tablet", "strap", "lamp", "nothing"), 1)]
        subjects = await everybody(world)
        there = [subject for subject in subjects if subject.is_there]
        shown = {subject: [] for subject in subjects}
        told = {subject: [] for subject in subjects}

        async def wait_for(letter, holds, seconds):
            """Waits until the log shows the result of each present phone; the phones with a result are recorded in any case."""
            def enough(rows):
                nonlocal latest
                latest = rows
                return all(holds(subject, rows) for subject in there)

            latest = []
            try:
                return await pull_until(node, output, enough, f"{letter} of everybody", seconds)
            except AssertionError as error:
                print(f"  {error}")
                return latest
            finally:
                for subject in subjects:
                    if subject.is_there and holds(subject, latest) or not subject.is_there and any(
                            row["id"] == subject.phone.identity for row in latest):
                        shown[subject].append(letter)

        async def wait_for_phones(letter, holds, seconds):
            loop = asyncio.get_running_loop()
            deadline = loop.time() + seconds
            while not all(holds(subject) for subject in there) and loop.time() < deadline:
                await asyncio.sleep(0.05)
            for subject in subjects:
                if holds(subject):
                    told[subject].append(letter)

        await wait_for("D", lambda subject, rows: subject.detected(rows), 2 * PATIENCE)
        await wait_for_phones("D", lambda subject: OWN in subject.phone.met.values(), PATIENCE)
        start = world.now()
        heard = {subject: subject.heard_of_us for subject in subjects}
        await wait_for("T", lambda subject, rows: subject.tracked(rows, start), PATIENCE)
        await wait_for_phones("T", lambda subject: subject.heard_of_us >= heard[subject] + 2, PATIENCE)

        for subject in subjects:
            await subject.phone.leave()
        rows = await pull_until(
            node, output, lambda rows: all(subject.is_gone(rows) for subject in there), "end of all visits")
        # By the clock of the log: it has a resolution of 0.01 s, so that by the clock of this process the first phone may be back before it has left.
        gone = max(time_of(row) for row in rows if row["delete"])
        heard = {}
        for subject in subjects:
            await subject.return_with(subject.kind)
            heard[subject] = subject.heard_of_us
        await wait_for("R", lambda subject, rows: subject.resumed(rows, gone), 2 * PATIENCE)
        await wait_for_phones("R", lambda subject: subject.heard_of_us > heard[subject], PATIENCE)

        for subject in subjects:
            subject.seen_in.show(subject.kind, subject.state, ", ".join(shown[subject]) or "-")
            subject.sees_in.show(subject.state, subject.kind, ", ".join(told[subject]) or "-")
        expected = {subject: ["D", "T", "R"] if subject.is_there else [] for subject in subjects}
        for who, found in (("the wearable", shown), ("a phone", told)):
            wrong = [f"{subject.name}: {found[subject]}, {subject.phone.failures[-5:]}"
                     for subject in subjects if found[subject] != expected[subject]]
            assert not wrong, f"{who} shows {'; '.join(wrong)}"

        # A person is a payload, under however many addresses.
        met = await summary(output)
        assert {payload: contact["addresses"] for payload, contact in met.items()} == {
            subject.phone.payload.hex(): len(subject.identities) for subject in there}, met
        # The others were neither connected nor logged.
        for neighbour in neighbours:
            assert neighbour.connections == [], neighbour.name
        rows = await pull_until(node, output, lambda rows: True, "")
        known = {identity for subject in there for identity in subject.identities}
        assert {row["id"] for row in rows} <= known | {""}, {row["id"] for row in rows} - known
