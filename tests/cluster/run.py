#!/usr/bin/env python3
"""Does every kind of harm to three hubs, their servers, phones and links under load, and checks every promise after it.

The seed is printed; it decides which faults happen, in which order and to whom. The machine's own timing is not
repeated. A fault that hits nothing fails the run.
"""

import argparse
import inspect
import random
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cluster import faults  # noqa: E402
from cluster.check import Period, twice_told  # noqa: E402
from cluster.site import Site  # noqa: E402
from crash.check import findings  # noqa: E402
from crash.judge import gather, report, settle, summary  # noqa: E402
from crash.load import Load  # noqa: E402
from support.servers import Missing  # noqa: E402

PHONES = {
    "normal": [40, 40, 30, 30, 20], "no-reports": [20, 20], "repeat": [20, 20], "partial": [5], "ambiguous": [4], "slow": [1],
}  # fmt: skip
MANY, MOST = 0.5, 20


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=100_000, help="at least so many (default: 100000)")
    parser.add_argument("--faults", type=int, help="so many, drawn by the seed (default: each once)")
    parser.add_argument("--only", metavar="NAME", action="append", help="this fault; may be repeated")
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    parser.add_argument("--rate", type=float, default=250, help="messages per second (default: 250)")
    parser.add_argument("--keep", action="store_true", help="keep the folder, with what the hubs logged, for a look")
    return parser.parse_args()


def main():
    options = arguments()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"cluster: seed {seed}", flush=True)
    try:
        passed, failed = report(run(options, seed))
    except Missing as error:
        sys.exit(f"cluster: {error}")
    print(f"cluster: {passed} passed, {failed} failed")
    return 1 if failed else 0


def drawn(options, dice):
    """Returns the faults of a run."""
    if options.only:
        known = {fault.__name__: fault for fault in [*faults.ALL, *faults.SHORT]}
        return [known[name] for name in options.only]
    if options.faults:
        return dice.sample(faults.SHORT, options.faults)
    return dice.sample(faults.ALL, len(faults.ALL))


def run(options, seed):
    """Does one whole run and returns the findings."""
    folder = Path(tempfile.mkdtemp(prefix="postrider-cluster-"))
    dice = random.Random(seed)
    site = Site(folder, dice)
    try:
        for profile, weights in PHONES.items():
            for weight in weights:
                site.join(profile, weight)
        site.load = Load(site, seed, options.rate, MANY, MOST)
        site.load.goes_on(100)
        harm = Harm(site)
        for fault in drawn(options, dice):
            harm.do(fault)
        harm.end()
        harm.try_to(lambda: accepts_enough(site.load, options.messages))
        site.load.stop()
        settle(site, 120)
        return judged(site, harm)
    finally:
        site.close()
        if options.keep:
            site.keep_logs()
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


class Harm:
    """The faults that have happened so far, and what went wrong with them."""

    def __init__(self, site):
        self.site = site
        self.periods = []
        self.failed = []
        self.errors = []
        self._under_way = []
        self._begun = time.monotonic()

    def do(self, fault):
        """Begins a fault, and ends it unless others may happen meanwhile."""
        self.errors += [] if self._under_way else self.site.new_errors()
        self.site.type_incoming()
        begun = time.monotonic()
        at = begun - self._begun
        print(f"{at:.0f} s: {fault.__name__.replace('_', ' ')}, after {len(self.site.load.accepted)} messages", flush=True)
        going_on = self.try_to(lambda: self._begin(fault, begun))
        if going_on is None:
            self._got_over(begun)
        self._end_those_due()

    def _begin(self, fault, begun):
        going_on = fault(self.site)
        if not inspect.isgenerator(going_on):
            return None
        self._under_way.append((next(going_on), begun, going_on))
        return going_on

    def try_to(self, act):
        """Does something, and keeps what went wrong with it."""
        try:
            return act()
        except Exception:
            self.failed.append(traceback.format_exc())

    def _got_over(self, begun):
        self.try_to(self.site.load.goes_on)
        self.site.note_ends()
        self.site.new_errors()
        self.periods.append(Period(begun, time.monotonic()))

    def _end_those_due(self):
        for one in [one for one in self._under_way if one[0] <= time.monotonic()]:
            self._under_way.remove(one)
            _, begun, going_on = one
            self.try_to(lambda: next(going_on, None))
            self._got_over(begun)

    def end(self):
        """Ends the faults that are still under way, each when its time has come."""
        while self._under_way:
            faults.lasts(min(due for due, *_ in self._under_way), 0)
            self._end_those_due()


def accepts_enough(load, count):
    """Waits until so many messages are accepted; it gives up when a minute brings none."""
    while len(load.accepted) < count:
        load.goes_on()


def judged(site, harm):
    """Returns what is wrong after a run."""
    site.note_ends()
    evidence = gather(site, site.load)
    summary(evidence, site.load)
    wrong = findings(evidence)
    wrong["sends that were never answered"] = site.load.unanswered
    wrong["a fault that hit nothing, or that the hubs did not get over"] = harm.failed
    wrong["a sound phone that was refused"] = [f"{row['id']} is {row['state']}" for row in site.refused_phones()]
    wrong["a webhook told twice that no fault interrupted"] = twice_told(site.posts(), harm.periods)
    wrong["transactions in each other's way"] = site.conflicts()
    wrong["errors in a hub's log without a fault"] = harm.errors
    return wrong


if __name__ == "__main__":
    sys.exit(main())
