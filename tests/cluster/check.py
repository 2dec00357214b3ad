"""What is wrong with the posts of a run, beside what `crash/check.py` judges."""

from collections import defaultdict
from dataclasses import dataclass

# A post lasts at most so long, and its end may wait so long to be stored.
UNDER_WAY_S = 12


@dataclass
class Period:
    """A fault, until the hubs had got over it."""

    begun: float
    ended: float


@dataclass
class Post:
    """One webhook that arrived."""

    message_id: str
    status: str
    at: float
    refused: bool = False


def twice_told(posts, periods):
    """Returns the posts that came again although the one before was answered, and no fault was about."""
    same = defaultdict(list)
    for post in sorted(posts, key=lambda post: post.at):
        same[post.message_id, post.status].append(post)
    return [
        f"{one.message_id}: {one.status}, again after {again.at - one.at:.1f} s"
        for told in same.values()
        for one, again in zip(told, told[1:])
        if not one.refused and not any(period.begun - UNDER_WAY_S <= one.at <= period.ended for period in periods)
    ]
