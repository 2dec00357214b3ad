"""A second, simple implementation of filters: which rows a condition must find."""

MODIFIERS = ("eq", "ne", "prefix", "not_prefix", "exists", "null", "gte", "gt", "lt", "lte", "min", "max")


def folded(value):
    """Returns a value as texts are compared."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).lower()


def as_number(value):
    """Returns the number that a variable is, or can be read as."""
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def holds(value, kind, modifier, operand):
    """Returns whether a field's value meets a condition; a missing value is unequal to nothing and has no order."""
    there = value is not None
    if modifier in ("exists", "null"):
        return there == (operand in ("1", "true")) if modifier == "exists" else there != (operand in ("1", "true"))
    if isinstance(value, list):
        return operand in value
    if modifier in ("ne", "not_prefix"):
        opposite = "eq" if modifier == "ne" else "prefix"
        return not there or not holds(value, kind, opposite, operand)
    if not there:
        return False
    if kind in ("int", "time") or (kind == "vars" and modifier in ("min", "max")):
        value, operand = as_number(value), float(operand)
        if value is None:
            return False
    elif kind == "bool":
        value, operand = value, operand in ("1", "true")
    else:
        value, operand = folded(value), folded(operand)
    return {
        "eq": lambda: value == operand,
        "prefix": lambda: value.startswith(operand),
        "gte": lambda: value >= operand,
        "gt": lambda: value > operand,
        "lt": lambda: value < operand,
        "lte": lambda: value <= operand,
        "min": lambda: value >= operand,
        "max": lambda: value < operand,
    }[modifier]()


def operands(kind, modifier, values, names):
    """Chooses values to compare with from those that the rows have."""
    there = sorted({value for value in values if value is not None}, key=lambda value: (str(type(value)), str(value)))
    if modifier in ("exists", "null"):
        return ["1", "0", "true", "false"]
    if kind == "bool":
        return ["1", "0", "true", "false"]
    if kind == "one of":
        return [*names, names[0].upper()]
    if kind in ("int", "time"):
        middle = sorted(there)[len(there) // 2] if there else 1
        return [str(middle), str(middle + 1), "0", "4102444800"]
    if kind == "vars" and modifier in ("min", "max"):
        numbers = sorted(number for number in map(as_number, there) if number is not None)
        return [str(numbers[len(numbers) // 2]), "-5.5", "1e9"] if numbers else ["5", "1e9"]
    texts = [str(value) for value in there if not isinstance(value, bool)]
    middle = texts[len(texts) // 2] if texts else "nothing"
    if kind == "id":
        return [middle, middle.lower(), "no id", "CT0000000000000001"]
    if modifier in ("prefix", "not_prefix"):
        return [middle[:4], middle[:4].upper(), middle[:-2] or middle, "zzz"]
    return [middle, middle.upper(), "zzz", texts[0] if texts else "a"]
