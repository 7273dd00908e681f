"""The rows of docs/posts.md, and whether an answer is what one of them expects.

An expectation is LEFT OPERATOR RIGHT. Both sides are made of JSON values and paths into the answer, joined by * / + - with blanks around
them and worked out from left to right. A path is as in predictions[arch=sm_20].gld_lines: members, elements by number, by what they have
(of a sweep's points: by their values; a shape is 32x16), or [*] for each of them; "text" is the whole answer as it came."""
import json
import re
import shlex

ROW = re.compile(r"^\| (00\d-\d+) \| (.*?) \| (.*?) \| `(.*?)` \| (`.*?`) \| (.*?) \|$", re.M)
OPERATORS = "is a member", "is there", "is missing", "within", "has", "!=", "<=", ">=", "=", "<", ">"
CALCULATED = {"*": lambda a, b: a * b, "/": lambda a, b: a / b, "+": lambda a, b: a + b, "-": lambda a, b: a - b}


class Unknown(Exception):
    """A path that leads nowhere in the answer."""


class Answer:
    def __init__(self, accepted, text):
        self.accepted, self.text = accepted, text.replace("\u00a0", " ")
        try:
            self.document = json.loads(text)
        except ValueError:
            self.document = None


def rows_of(page):
    """As dicts; a line that looks like a row and is none is an error."""
    rows = [dict(zip(("id", "where", "says", "request", "expect", "verdict"), row)) for row in ROW.findall(page)]
    begun = re.findall(r"^\| (00\d-\S*)", page, re.M)
    if begun != [row["id"] for row in rows]:
        raise ValueError(f"rows that cannot be read: {sorted(set(begun) - {row['id'] for row in rows})}")
    for row in rows:
        row["expect"] = re.findall(r"`(.*?)`", row["expect"])
    return rows


def words_of(request):
    """The words of its line, as a shell has them, without the locale of a command: sent() gives each that."""
    words = shlex.split(request.removeprefix("LC_ALL=C "))
    if words[0] not in ("ask", "open", "coalesce") or len(words) < 2:
        raise ValueError(f"neither ask, open nor coalesce: {request}")
    return words


def shape_text(value):
    return "x".join(map(str, value)) if isinstance(value, list) else str(value)


def chosen(values, key):
    """The elements of a list that [key] means."""
    if not isinstance(values, list):
        raise Unknown(f"[{key}] of what is no list")
    if key == "*":
        return values
    if key.isdigit():
        return values[int(key):int(key) + 1]
    wanted = dict(one.split("=") for one in key.split(","))
    named = [(value, {**value, **value.get("values", {})}) for value in values]
    return [value for value, members in named if all(shape_text(members.get(name)) == text for name, text in wanted.items())]


def found(document, path):
    """A list: what is at the path, once for each element of [*]."""
    here = [document]
    for name, key in re.findall(r"([A-Za-z_]\w*)|\[([^\]]*)\]", path):
        if name:
            if not all(isinstance(value, dict) and name in value for value in here):
                raise Unknown(f"{name} is not in the answer")
            here = [value[name] for value in here]
        else:
            here = [one for value in here for one in chosen(value, key)]
            if not here:
                raise Unknown(f"[{key}] is not in the answer")
    return here


def value_of(term, answer):
    """A list of one value, or of as many as [*] has."""
    try:
        return [json.loads(term)]
    except ValueError:
        pass
    if term == "text":
        return [answer.text]
    if term.startswith("count "):
        return [len(value) for value in found(answer.document, term.removeprefix("count "))]
    return found(answer.document, term)


def paired(left, right):
    """Two lists of one length; one value stands for each."""
    length = max(len(left), len(right))
    return zip(left * length if len(left) == 1 else left, right * length if len(right) == 1 else right, strict=True)


def blanked(text):
    """With text in quotes, which is not looked into, as long as it was."""
    return re.sub(r'"(?:\\.|[^"\\])*"', lambda quoted: "_" * len(quoted.group()), text)


def worked_out(side, answer):
    """From left to right."""
    signs = [(sign.start(), sign[1]) for sign in re.finditer(r" ([*/+-]) ", blanked(side))]
    ends = [at for at, _ in signs] + [len(side)]
    values = value_of(side[:ends[0]].strip(), answer)
    for (at, sign), end in zip(signs, ends[1:]):
        values = [CALCULATED[sign](a, b) for a, b in paired(values, value_of(side[at + 3:end].strip(), answer))]
    return values


def parsed(expectation):
    """(left, operator, right)"""
    blank = blanked(expectation)
    for operator in OPERATORS:
        at = blank.find(f" {operator} ") if not operator.startswith("is ") else blank.find(f" {operator}")
        if at > 0:
            return expectation[:at], operator, expectation[at + len(operator) + 1:].strip()
    raise ValueError(f"no operator: {expectation}")


def equal(a, b):
    return type(a) in (int, float) and type(b) in (int, float) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)) or \
        type(a) is type(b) and a == b


COMPARED = {"=": equal, "!=": lambda a, b: not equal(a, b), "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b, "has": lambda a, b: b in a}


def reason_against(expectation, answer):
    """Why it does not hold, or None."""
    left, operator, right = parsed(expectation)
    try:
        if operator.startswith("is "):
            return reason_absent(left, operator, answer)
        if operator == "within":
            distance, _, right = right.partition(" of ")
            pairs = list(paired(worked_out(left, answer), worked_out(right, answer)))
            wrong = [pair for pair in pairs if not abs(pair[0] - pair[1]) <= float(distance)]
        else:
            pairs = list(paired(worked_out(left, answer), worked_out(right, answer)))
            wrong = [pair for pair in pairs if not COMPARED[operator](*pair)]
    except (Unknown, TypeError, ZeroDivisionError) as error:
        return str(error)
    return f"{str(wrong[0][0])[:200]} against {str(wrong[0][1])[:200]}" if wrong else None


def reason_absent(path, operator, answer):
    """A member that is null is a member, but not there."""
    try:
        values = found(answer.document, path)
    except Unknown as error:
        return None if operator == "is missing" else str(error)
    if operator == "is missing":
        return f"it is {values[0]}"
    return "it is null" if operator == "is there" and any(value is None for value in values) else None
