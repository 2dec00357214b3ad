"""The rounds of a crash run: kills at random moments, and a backup that takes the place of the hub's data."""

import time

from crash.check import Restore
from support.operator import backup, restore


def kill_round(world, number):
    """Waits a random while, kills something, waits again, and restarts it. Returns the kinds of what was killed."""
    dice = world.dice
    world.type_incoming()
    time.sleep(dice.uniform(0.02, 0.9))
    what = dice.choice(["hub", "phone", "both", "hub", "phone"])
    indexes = [dice.randrange(len(world.phones))] if what != "hub" else []
    if what == "both" and dice.random() < 0.5:
        indexes = list(range(len(world.phones)))
    steps = [("hub", world.servers[0])] if what != "phone" else []
    steps += [(f"phone {index}", world.phones[index]) for index in indexes]
    dice.shuffle(steps)
    for _, one in steps:
        world.kill(one)
        time.sleep(dice.choice([0, 0, dice.uniform(0, 0.2)]))
    time.sleep(dice.uniform(0, 0.3))
    dice.shuffle(steps)
    for _, one in steps:
        one.start()
    names = [name for name, _ in steps]
    print(f"round {number}: killed {' and '.join(names)}", flush=True)
    return [name.split()[0] for name in names]


def restore_round(world, number):
    """Takes a backup under load, and a while later replaces the hub's data by it. Returns what was killed."""
    dice = world.dice
    world.type_incoming()
    copy = world.folder / f"backup{number}.db"
    begun = time.monotonic()
    taken = backup(world.admin.folder, copy)
    time.sleep(dice.uniform(0.2, 1.5))
    world.kill(world.servers[0])
    killed = [dice.choice(world.phones)] if dice.random() < 0.5 else []
    for phone in killed:
        world.kill(phone)
    told = restore(world.admin.folder, copy)
    restored = time.monotonic()
    # Everything that the dead hub had sent has arrived by now, because it was answered on this machine.
    time.sleep(0.2)
    world.restores.append(Restore(begun, restored, len(world.receiver.all(event="send_status"))))
    world.servers[0].start()
    for phone in killed:
        phone.start()
    print(f"round {number}: backup of {taken['bytes'] // 1000} kB restored, generation {told['generation']}", flush=True)
    return ["hub", *("phone" for _ in killed)]
