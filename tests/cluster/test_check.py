"""The checker of posts finds what came twice, and excuses what a fault or a refusal interrupted."""

from cluster.check import UNDER_WAY_S, Period, Post, twice_told

FAULT = [Period(100.0, 110.0)]


def posts(*times, refused=False):
    return [Post("A", "sent", at, refused) for at in times]


def test_each_post_once_is_right():
    assert twice_told([*posts(50.0), Post("A", "delivered", 51.0), Post("B", "sent", 52.0)], FAULT) == []


def test_a_post_that_came_again_without_a_reason_is_found():
    assert twice_told(posts(50.0, 130.0), FAULT) == ["A: sent, again after 80.0 s"]
    assert twice_told(posts(111.0, 112.0), FAULT) == ["A: sent, again after 1.0 s"]


def test_a_post_that_was_under_way_at_a_fault_may_come_again():
    assert twice_told(posts(105.0, 130.0), FAULT) == []
    assert twice_told(posts(100.0 - UNDER_WAY_S, 130.0), FAULT) == []


def test_a_post_that_was_refused_comes_again():
    assert twice_told([*posts(50.0, refused=True), *posts(60.0)], FAULT) == []
