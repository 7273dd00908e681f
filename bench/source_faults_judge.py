"""What source_faults.py has from the service (told.json) held against what it has from a GPU (found.json).

A mutant changes behaviour where compute-sanitizer finds something, the launch fails or does not end, or outputs are not those of the
right kernel. It is told where the service refuses it, or where outputs differ from a reference on the CPU device. What `line` says:

    found by the tool   it is one that compute-sanitizer names
    changed             it is the one that was changed, or of the loop that does not end since
    same array          no tool looks for that (loads of shared memory that nobody wrote, atomics without a barrier): it is that of
                        an access to an array that is accessed at the change
    of the store        outputs differ: it stores the element
    of the reference    nobody writes the element any more: the reference stores it there
    wrong, none"""
import collections
import json
import re

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


class Seen:
    """What a GPU said of one kernel."""

    def __init__(self, found, name, of):
        self.findings = [(tool, what, lines) for tool in TOOLS for what, lines, _ in found[tool].get(name, {}).get("findings", [])]
        self.became = [plain[name]["became"] for plain in found["plain"] if name in plain]
        right = {plain[of]["became"] for plain in found["plain"]} if of else set()
        self.differs = len(right) == 1 and any(one not in right for one in self.became)
        self.fails = any(not one.startswith("CUDA_SUCCESS") for one in self.became)

    def lines(self):
        return {line for _, _, lines in self.findings for line in lines}

    def how(self):
        """The first way in which its behaviour is another one; None: it is the same."""
        tools = [tool for tool, _, _ in self.findings]
        return tools[0] if tools else "fails or does not end" if self.fails else "other outputs" if self.differs else None


def told_of(answer):
    """(is something told, the lines, what)"""
    if answer["status"] == 422:
        faults = answer["faults"][:4]
        lines = {int(line) for fault in faults for line in re.findall(r"\bline (\d+)", fault["detail"])}
        return True, lines, "; ".join(fault["detail"] for fault in faults[:2])
    run = answer.get("run") or {}
    first = (run.get("correctness") or {}).get("first_mismatch")
    if first:
        line = first.get("line") or first.get("reference_line")
        return True, {line} - {None}, f"{first['buffer']}[{first['index']}] is {first['found']} instead of {first['expected']}"
    return run.get("state") == "failed", set(), str((run.get("failure") or {}).get("detail"))


def same_array(case):
    """Lines that access an array that is accessed at the changed line or near it."""
    text = case.source.split("\n")
    accessed = [set(re.findall(r"\b(\w+)\[", line)) for line in text]
    arrays = set().union(*accessed[max(0, case.lines[0] - 2):case.lines[0] + 2])
    return {number for number, names in enumerate(accessed, 1) if names & arrays}


def line_of(case, answer, seen, lines):
    """As the head of this file lists them."""
    changed, how = case.lines[0], seen.how()
    if not lines:
        return "none"
    if seen.findings:
        return "found by the tool" if lines & seen.lines() else "wrong"
    if changed in lines or (how == "fails or does not end" and lines & set(range(changed, changed + 4))):
        return "changed"
    if answer["status"] == 422:
        return "same array" if lines & same_array(case) else "wrong"
    return "of the store" if answer["run"]["correctness"]["first_mismatch"].get("line") else "of the reference"


def mutant_row(case, answer, seen):
    is_told, lines, what = told_of(answer)
    return {"name": case.name, "change": case.change, "changed_line": case.lines[0], "behaviour": seen.how(), "told": is_told,
            "line": line_of(case, answer, seen, lines), "lines": sorted(lines), "lines_of_tools": sorted(seen.lines()), "what": what}


def wrong_row(case, answer, seen):
    is_told, lines, what = told_of(answer)
    return {"name": case.name, "told": is_told, "first_line_right": is_told and answer["faults"][0].get("line") in case.lines,
            "seconds": answer["seconds"], "tools": sorted({tool for tool, _, _ in seen.findings}),
            "line_of_tools_told": bool(lines & seen.lines()) if seen.findings else None, "fails": seen.fails, "what": what}


def sums_of_mutants(rows):
    changed = [row for row in rows if row["behaviour"]]
    return {"mutants": len(rows), "change_behaviour": len(changed), "told": sum(row["told"] for row in changed),
            "line": dict(collections.Counter(row["line"] for row in changed)),
            "behaviour": dict(collections.Counter(row["behaviour"] for row in changed)),
            "told_with_the_line": sum(row["told"] and row["line"] not in ("wrong", "none") for row in changed),
            "told_and_not_seen_by_the_gpu": sum(row["told"] and not row["behaviour"] for row in rows)}


def sums_of_tools(found):
    """Seconds of a process with one launch under a tool, and of a prediction with every check."""
    sums = {}
    for tool, rows in found["alone"].items():
        seconds = sorted(one["seconds"] for one in rows.values())
        sums[tool] = {"kernels": len(rows), "with_findings": sum(bool(one["findings"]) for one in rows.values()),
                      "median_seconds": seconds[len(seconds) // 2], "seconds": round(sum(seconds), 1)}
    return sums


def side_by_side(found, told):
    names = sorted(set(found["alone"]["memcheck"]))
    seconds = sorted(told[name]["seconds"] for name in names)
    found_by = [name for name in names if any(rows[name]["findings"] for rows in found["alone"].values())]
    return {**sums_of_tools(found), "service": {"kernels": len(names), "with_findings": sum(told[name]["status"] == 422 for name in names),
                                               "median_seconds": seconds[len(seconds) // 2], "seconds": round(sum(seconds), 1)},
            "found_by_tools": len(found_by), "of_these_told": sum(told[name]["status"] == 422 for name in found_by)}


def text_of(value):
    """JSON with a row a line."""
    return "[" + ",".join("\n  " + json.dumps(row) for row in value) + "]" if isinstance(value, list) else json.dumps(value)


def judged(cases, folder, out):
    """Writes the result; the exit status."""
    told, found = (json.loads((folder / name).read_text()) for name in ("told.json", "found.json"))
    mutants, wrong, alarms = [], [], []
    for case in cases:
        answer, seen = told[case.name], Seen(found, case.name, case.of)
        if case.kind == "mutant":
            mutants.append(mutant_row(case, answer, seen))
        elif case.kind == "wrong":
            wrong.append(wrong_row(case, answer, seen))
        elif answer["status"] != 200:
            alarms.append({"name": case.name, "what": told_of(answer)[2], "gpu": seen.how()})
    result = {
        "command": "bench/source_faults.py", "device": found["device"], "mutants": sums_of_mutants(mutants),
        "wrong": {"kernels": len(wrong), "told": sum(row["told"] for row in wrong), "right_line": sum(row["first_line_right"] for row in wrong),
                  "found_by_compute_sanitizer": sum(bool(row["tools"]) for row in wrong),
                  "of_these_same_line": sum(bool(row["line_of_tools_told"]) for row in wrong if row["tools"])},
        "right_kernels": sum(case.kind in ("right", "noted") for case in cases), "false_alarms": alarms, "side_by_side": side_by_side(found, told),
        "missed": [row for row in mutants if row["behaviour"] and not row["told"]],
        "told_and_not_seen_by_the_gpu": [row for row in mutants if row["told"] and not row["behaviour"]],
        "wrong_line": [row for row in mutants if row["behaviour"] and row["told"] and row["line"] in ("wrong", "none")],
        "wrong_kernels_not_told_right": [row for row in wrong if not row["first_line_right"]],
        "tools_named_other_lines": [row for row in wrong if row["line_of_tools_told"] is False],
        "mutants_found_by_tools": {row["name"]: row["lines_of_tools"] for row in mutants if row["lines_of_tools"]}}
    if out:
        out.write_text("{\n" + ",\n".join(f' "{key}": {text_of(value)}' for key, value in result.items()) + "\n}\n")
    (folder / "mutants.json").write_text("[" + ",\n".join(map(json.dumps, mutants)) + "]\n")
    print(json.dumps({key: value for key, value in result.items() if key != "mutants_found_by_tools" and not isinstance(value, list)}, indent=1))
    return 1 if alarms else 0
