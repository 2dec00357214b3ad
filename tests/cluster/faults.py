"""The faults of a run. Each waits until it has hit something, ends, and waits until the hubs have got over it.

One that takes long, and lets others happen meanwhile, yields the moment when it is to go on.
"""

import contextlib
import os
import signal
import time
from email.utils import parsedate_to_datetime

import requests

from cluster.gossip import Gossip
from cluster.proxied import BOTH, DOWN, UP
from support import faketime
from support.wait import until

PAUSE_S = 30
# A hub that stands still for ten of the others' beats is taken over.
TAKEOVER_S = 40
PATIENCE_S = 90


def kill_a_hub(site):
    """Kills a hub to which somebody is connected."""
    hub = a_used_hub(site)
    site.kill(hub)
    site.load.goes_on()
    hub.start()


def pause_a_hub(site):
    """Stops a hub where it is: the others take it over, and it ends itself when it goes on."""
    hub = a_used_hub(site)
    before = site.takeovers(without=hub)
    os.kill(hub.program.pid, signal.SIGSTOP)
    begun = time.monotonic()
    site.balance(without=hub)
    try:
        until(lambda: site.takeovers(without=hub) > before, "the hub is taken over", TAKEOVER_S)
        lasts(begun)
    finally:
        os.kill(hub.program.pid, signal.SIGCONT)
    until(lambda: not hub.program.alive(), "the hub ends itself", PATIENCE_S)
    site.revive(hub)
    site.balance()


def restart_hubs_in_turn(site):
    """Ends each hub in good order and starts it again: a new version is rolled out."""
    for hub in site.servers:
        until(lambda: site.front.open_to(hub.port), "somebody is connected to the hub")
        restart(site, hub)


def set_a_clock_ahead(site):
    """Starts a hub again with a clock that is 5 s ahead."""
    with_a_clock_off(site, 5)


def set_a_clock_back(site):
    """Starts a hub again with a clock that is 5 s behind."""
    with_a_clock_off(site, -5)


def kill_a_phone(site):
    """Kills a phone that sends."""
    phone = a_busy_phone(site)
    site.kill(phone)
    waits_for(site, phone)
    phone.start()


def pause_a_phone(site):
    """Stops a phone where it is; what is meant for it waits."""
    phone = a_busy_phone(site)
    os.kill(phone.program.pid, signal.SIGSTOP)
    begun = time.monotonic()
    site.paused.add(phone)
    waits_for(site, phone)
    yield begun + PAUSE_S
    os.kill(phone.program.pid, signal.SIGCONT)
    site.paused.remove(phone)


def kill_the_standby(site):
    """Kills the standby: no commit is answered until it is back."""
    site.standby.kill()
    until_refused(site)
    site.standby.start()
    site.load.goes_on()


def pause_the_standby(site):
    """Stops the standby where it is."""
    pause_a_server(site, site.standby)


def pause_the_primary(site):
    """Stops the primary where it is: no hub beats, and none is taken over for that."""
    before = site.takeovers()
    pause_a_server(site, site.primary)
    assert site.takeovers() == before, "an outage of the database takes over nobody"


def kill_the_primary(site):
    """Kills the primary and promotes the standby."""
    assert all(link.seen()["open"] for link in site.links_to_primary()), "hubs are connected to the primary"
    site.primary.kill()
    site.promote()
    site.load.goes_on()
    site.follow_anew()


def cut_off_the_primary(site):
    """Promotes the standby while the primary lives on, cut off from everybody; then hubs can reach only the old one."""
    old = site.links_to_primary()
    for link in [*old, site.replication]:
        link.refuse()
        assert link.cut()["cut"], "somebody was connected to the primary"
    site.promote()
    site.load.goes_on()
    new = site.links_to_primary()
    before = [link.refuse(False)["accepted"] for link in old]
    for link in new:
        link.refuse()
        link.cut()
    asked = lambda: all(link.seen()["accepted"] > one for link, one in zip(old, before))  # noqa: E731
    try:
        until(asked, "each hub tries the old primary", PATIENCE_S)
    finally:
        for link in new:
            link.refuse(False)
    site.load.goes_on(100)
    site.follow_anew()


def kill_nats(site):
    """Kills NATS; the hubs look for themselves until it is back."""
    site.nats.program.kill()
    until_without_hints(site)
    site.load.goes_on(100)
    site.nats.start()
    until_hints_arrive(site)


def pause_nats(site):
    """Stops NATS where it is: it takes what hubs say, and says nothing."""
    os.kill(site.nats.program.pid, signal.SIGSTOP)
    begun = time.monotonic()
    until_without_hints(site)
    site.load.goes_on(100)
    lasts(begun)
    os.kill(site.nats.program.pid, signal.SIGCONT)
    until_hints_arrive(site)


def stall_a_hub_s_hints(site, *ways):
    """Holds what passes between one hub and NATS, until the hub notices."""
    number = site.dice.randrange(len(site.servers))
    link, hub = site.hints[number], site.servers[number]
    before = link.stall(*ways)["held"]
    try:
        until(lambda: hub in site.without_hints(), "the hub hears no hints", PATIENCE_S)
        site.load.goes_on(100)
        assert link.seen()["held"] > before, "something was held"
    finally:
        link.flow()
    until_hints_arrive(site)


def lie_by_nats(site):
    """Tells the hubs hints that nobody gave: cut off, changed, old ones again, and noise."""
    before = [link.seen()[DOWN] for link in site.hints]
    said, enough = 0, len(site.load.accepted) + 200
    with contextlib.closing(Gossip(site.nats)) as gossip:
        while len(site.load.accepted) < enough:
            subject, notice = gossip.hear()
            told = lies(notice, site.dice)
            gossip.say(subject, *told)
            said += sum(map(len, told))
    heard = lambda: min(link.seen()[DOWN] - one for link, one in zip(site.hints, before))  # noqa: E731
    until(lambda: heard() > said, "each hub has heard it", PATIENCE_S)
    assert not site.without_hints(), "lies end no connection"


def lies(notice, dice):
    """Returns notices that are made of one."""
    at = dice.randrange(len(notice))
    digits = bytes(dice.choice(b"0123456789") if byte in b"0123456789" else byte for byte in notice)
    return [notice, notice[:at], notice[:at] + dice.randbytes(1) + notice[at + 1 :], digits, dice.randbytes(60), b""]


def flood_nats(site):
    """Says so much through NATS that the hubs stop listening for a while."""
    with contextlib.closing(Gossip(site.nats)) as gossip:
        subject, notice = gossip.hear()
        gossip.deafen()
        notices = [b"x" * len(notice)] * 1000
        deadline = time.monotonic() + PATIENCE_S
        while len(site.without_hints()) < len(site.servers):
            assert time.monotonic() < deadline, "the hubs stop listening"
            gossip.say(subject, *notices)
    until_hints_arrive(site)


def lose_answers(site, count=10):
    """Loses the answers to commits that were done, and commits on their way, one after another."""
    for number in range(count):
        link = site.dice.choice(site.links_to_primary())
        lost, lose = [("swallowed", link.swallow_commits), ("withheld", link.withhold_commits)][number % 2]
        before = link.seen()[lost]
        lose(1)
        until(lambda: link.seen()[lost] > before, f"a commit is {lost}", PATIENCE_S)
    site.load.goes_on()


def lose_many_answers(site):
    """Loses 200 answers to commits, and as many commits."""
    lose_answers(site, 400)


def cut_links_to_the_primary(site):
    """Breaks off each connection of the hubs to the primary."""
    for link in site.links_to_primary():
        assert link.cut()["cut"], "hubs are connected to the primary"


def delay_links_to_the_primary(site):
    """Makes the way to the primary longer."""
    links = site.links_to_primary()
    before = sum(link.delay(0.02)["delayed"] for link in links)
    try:
        site.load.goes_on()
    finally:
        after = sum(link.delay(0)["delayed"] for link in links)
    assert after > before, "something was delayed"


def stall_clients(site, *ways):
    """Holds what phones and programs send, or what they are sent."""
    stall(site, site.front, ways, 5)


def stall_a_hub_s_database(site, *ways):
    """Holds what passes between one hub and the primary; the others take it over if that takes long."""
    number = site.dice.randrange(len(site.servers))
    stall(site, site.links_to_primary()[number], ways, site.dice.choice([3, 8, 20]))
    site.load.goes_on()
    until(lambda: is_ready_or_ended(site.servers[number]), "the hub is ready or has ended itself", PATIENCE_S)
    site.revive(site.servers[number])


def stall_the_standby_s_link(site, *ways):
    """Holds what passes between primary and standby."""
    stall(site, site.replication, ways, 5)


def stall_webhooks(site, *ways):
    """Holds webhooks, or the answers to them."""
    stall(site, site.hooks, ways, 12)


def both_and_each_way(fault):
    """Returns a fault three times: both ways, towards the servers, back."""
    return [named(fault, *ways) for ways in (BOTH, (UP,), (DOWN,))]


def named(fault, *ways):
    """Returns a fault with its ways, with a name that tells them."""
    def done(site):
        return fault(site, *ways)

    done.__name__ = f"{fault.__name__}_{'_and_'.join(ways)}"
    return done


def with_a_clock_off(site, seconds):
    """Runs a hub with a clock that is so many seconds ahead, or behind."""
    hub = a_used_hub(site)
    restart(site, hub, faketime.environment(seconds))
    answered = requests.get(f"http://127.0.0.1:{hub.port}/readyz", timeout=10).headers["Date"]
    ahead = parsedate_to_datetime(answered).timestamp() - time.time()
    assert abs(ahead - seconds) < abs(seconds) / 2, f"its clock is {ahead:.0f} s ahead"
    site.load.goes_on(100)
    restart(site, hub)


def restart(site, hub, env=None):
    """Ends a hub in good order and starts it again, with more variables if need be."""
    site.balance(without=hub)
    assert hub.program.stop(signal.SIGTERM, 60) == 0, hub.program.words()
    site.note_panics(hub.program)
    own = hub.env
    hub.env = {**own, **(env or {})}
    hub.start()
    hub.env = own
    site.balance()
    site.load.goes_on()


def a_used_hub(site):
    """Returns a hub to which somebody is connected."""
    def found():
        used = [hub for hub in site.servers if site.front.open_to(hub.port)]
        return site.dice.choice(used) if used else None

    return until(found, "somebody is connected to a hub")


def a_busy_phone(site):
    """Returns a phone that sends."""
    before = {phone: len(phone.radio()) for phone in site.phones}

    def found():
        busy = [phone for phone in site.phones if len(phone.radio()) > before[phone] and phone not in site.paused]
        return site.dice.choice(busy) if busy else None

    return until(found, "a phone sends", PATIENCE_S)


def waits_for(site, phone):
    """Waits until a message is accepted that only this phone may send."""
    begun = time.monotonic()
    accepted = site.load.accepted
    until(lambda: any(one.route_id == phone.route_id and one.at > begun for one in accepted[-500:]), "it is needed", PATIENCE_S)


def until_refused(site):
    """Waits until a request was refused, or not answered in time."""
    before = site.load.repeats
    until(lambda: site.load.repeats > before, "a request is refused", PATIENCE_S)


def until_without_hints(site):
    """Waits until no hub hears hints of the others."""
    until(lambda: len(site.without_hints()) == len(site.servers), "no hub hears hints", PATIENCE_S)


def until_hints_arrive(site):
    """Waits until each hub hears hints of the others."""
    until(lambda: not site.without_hints(), "each hub hears hints again", PATIENCE_S)


def pause_a_server(site, server):
    """Stops a database server for a while, so that requests are refused."""
    begun = time.monotonic()
    server.pause()
    try:
        until_refused(site)
        lasts(begun)
    finally:
        server.resume()
    site.load.goes_on()


def stall(site, link, ways, seconds):
    """Holds bytes of a link for a while."""
    before = link.stall(*ways)["held"]
    begun = time.monotonic()
    try:
        until(lambda: link.seen()["held"] > before, "something is held", PATIENCE_S)
        lasts(begun, seconds)
    finally:
        link.flow()
    site.load.goes_on()


def lasts(begun, seconds=PAUSE_S):
    """Lets a fault last so long."""
    time.sleep(max(0, begun + seconds - time.monotonic()))


def is_ready_or_ended(server):
    """Says whether a hub serves, or has ended."""
    return not server.program.alive() or server.is_ready()


ALL = [
    kill_a_hub,
    pause_a_hub,
    restart_hubs_in_turn,
    set_a_clock_ahead,
    set_a_clock_back,
    kill_a_phone,
    pause_a_phone,
    kill_the_standby,
    pause_the_standby,
    pause_the_primary,
    kill_the_primary,
    cut_off_the_primary,
    kill_nats,
    pause_nats,
    lie_by_nats,
    flood_nats,
    lose_many_answers,
    cut_links_to_the_primary,
    delay_links_to_the_primary,
    *both_and_each_way(stall_clients),
    *both_and_each_way(stall_a_hub_s_database),
    *both_and_each_way(stall_the_standby_s_link),
    *both_and_each_way(stall_webhooks),
    *both_and_each_way(stall_a_hub_s_hints),
]
# A short run loses fewer answers.
SHORT = [lose_answers if fault is lose_many_answers else fault for fault in ALL]
