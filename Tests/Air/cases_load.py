"""Many packets: devices and medium in one process. Each device is the central of two connections and the peripheral of two, and
advertises and scans at the same time."""

ROLES = "advertise=connectable scan=passive connect=1,2"
# Failed to be established: a CONNECT_IND that collided with another packet.
NOT_ESTABLISHED = {"62"}


def load(case):
    """Eight devices that transmit as much as the shortest intervals permit, with 1 % loss."""
    counts, _ = case.run_in_process(f"150 8 {ROLES} data=0 interval=6 ppm=50 declared=50 loss=1000 seed=1")
    case.expect(all(one["received"] > 20_000 for one in counts), str(counts))


def load_with_errors(case):
    """The same with 10 % loss, collisions, late processors and the greatest drift."""
    counts, _ = case.run_in_process(
        f"200 8 {ROLES} data=0 interval=12 timeout=600 ppm=500 declared=500 loss=10000 collide=1 lateness=1000 delay=200 seed=2")
    case.expect(all(one["late"] > 100 and one["received"] > 5000 for one in counts), str(counts))


def day(case):
    """24 hours with four connections of each device: none is lost, and each has its share of events."""
    seconds, interval = 24 * 3600, 400
    counts, judge = case.run_in_process(
        f"{seconds} 5 {ROLES} every=1000 interval={interval} timeout=600 data=10000 ppm=50 declared=50 loss=1000 seed=3")
    for one in counts:
        case.expect(one["closed"].keys() <= NOT_ESTABLISHED, f"a connection was lost: {one}")
        case.expect(one["received"] > 4 * 0.99 * seconds / 10, f"payloads are missing: {one}")
    kept = [one for one in judge.created if one.events > 100]
    case.expect(len(kept) == 10, f"{len(kept)} connections")
    shares = [one.events / ((one.anchor - one.created) / (one.interval * 1250)) for one in kept]
    case.note(f"each connection had {100 * min(shares):.1f} to {100 * max(shares):.1f} % of its events")
    case.note(f"advertisements received: {', '.join(str(one['advertisements']) for one in counts)}")
    case.expect(min(shares) > 0.8, f"a connection had {100 * min(shares):.1f} % of its events")


CASES = [day, load_with_errors, load]
