"""Licence expressions: enough of SPDX to check whether a list of allowed licences satisfies one."""

import re


def satisfied(expression, allowed):
    """Returns whether the licences in `allowed` satisfy `expression` (`A OR (B AND C WITH e)`; `A/B` is `A OR B`)."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    value, rest = _any_of(tokens, allowed)
    if rest:
        raise ValueError(f"not a licence expression: {expression!r}")
    return value


def _any_of(tokens, allowed):
    value, tokens = _all_of(tokens, allowed)
    while tokens and tokens[0] == "OR":
        other, tokens = _all_of(tokens[1:], allowed)
        value = value or other
    return value, tokens


def _all_of(tokens, allowed):
    value, tokens = _one(tokens, allowed)
    while tokens and tokens[0] == "AND":
        other, tokens = _one(tokens[1:], allowed)
        value = value and other
    return value, tokens


def _one(tokens, allowed):
    if not tokens or tokens[0] in (")", "OR", "AND", "WITH"):
        raise ValueError("a licence was expected")
    if tokens[0] == "(":
        value, tokens = _any_of(tokens[1:], allowed)
        if not tokens or tokens[0] != ")":
            raise ValueError("a closing parenthesis was expected")
        return value, tokens[1:]
    name, tokens = tokens[0], tokens[1:]
    if tokens and tokens[0] == "WITH":
        name, tokens = f"{name} WITH {tokens[1]}", tokens[2:]
    return name in allowed, tokens
