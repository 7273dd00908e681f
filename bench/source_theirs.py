"""Kernels of five public collections for source_counters.py. What is here is a table of ours (the folder theirs/): where a kernel
stands, its arguments, what its buffers hold, how it is launched. Its text is cut from a clone when it is asked for (source_extract).

Of a row: "file" and "entry"; "arguments", in their order, apart by blanks: name:type a scalar, name<type[elements] a buffer that
is read, > written, = read and written; "fills" by name; "launches", members of a request; perhaps "defines" and "folders" of
the preprocessor, "before" (text of ours ahead of theirs), "instance" (of a template, as the request's entry), "more" (other
members of the request)."""
import functools
import importlib
import pathlib
import re

import source_extract

TABLES = {"llm.c": "llmc", "PolyBench-ACC": "polybench", "Rodinia": "rodinia", "cuda-samples": "samples", "HeCBench": "hecbench"}
ARGUMENT = re.compile(r"(\w+)([:<>=])(\w+)(?:\[([^\]]+)\])?")
ROLES = {"<": "input", ">": "output", "=": "accumulated"}


def argument_of(text, fills):
    name, mark, kind, elements = ARGUMENT.fullmatch(text).groups()
    if mark == ":":
        return {"name": name, "type": kind}
    fill = {"fill": fills[name]} if name in fills else {}
    return {"name": name, "type": kind, "elements": elements, "role": ROLES[mark], **fill}


@functools.lru_cache(None)
def text_of(root, path, entry, defines, folders):
    return source_extract.extract(root, path, entry, defines, folders)


def source_of(root, row):
    """The kernel's text, with what is ours before it."""
    theirs = text_of(str(root), row["file"], row["entry"], tuple(row.get("defines", ())), tuple(row.get("folders", ())))
    return row.get("before", "") + theirs


def name_of(collection, row):
    folder, file = row["file"].split("/")[-2:]
    return f"{collection}/{folder}/{file.partition('.')[0]}/{row.get('instance') or row['entry']}"


def instance_of(row, text):
    """The line that makes nvcc instantiate a template."""
    if "instance" not in row:
        return ""
    head = re.search(rf"\bvoid\s+(?:__launch_bounds__\s*\([^;{{]*?\)\s*)?{row['entry']}\s*\(", text)
    assert head, f"no template {row['entry']}"
    return f"template __global__ void {row['instance']}({row['types']});\n"


def kernels(clones):
    """(name, source, arguments, members of a launch, what nvcc reads behind the source) of each launch. `clones`: folders by the
    collections' names."""
    for collection, root in clones.items():
        for row in importlib.import_module(f"theirs.{TABLES[collection]}").TABLE:
            source = source_of(pathlib.Path(root), row)
            arguments = [argument_of(one, row.get("fills", {})) for one in row["arguments"].split()]
            more = {"entry": row["instance"]} if "instance" in row else {}
            for launch in row["launches"]:
                yield name_of(collection, row), source, arguments, {**launch, **more, **row.get("more", {})}, instance_of(row, source)
