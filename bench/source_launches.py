"""A launch as the service filled it in, for source_launch: what its buffers hold before it, and the lines that say it."""
import array
import concurrent.futures
import hashlib
import json
import math
import pathlib
import re
import struct

FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f", "f64": "d"}
MASK = 0xFFFFFFFF


def parts_of(kind):
    """A type's base and its width."""
    base, _, width = kind.partition("x")
    return base, int(width or 1)


def generated(number, i):
    """input_value() of kernels/input_value.h."""
    h = (i * 0x9E3779B1 ^ (number + 1) * 0xC2B2AE3D) & MASK
    h ^= h >> 15
    h = h * 0x2C1B3C6D & MASK
    h ^= h >> 12
    return (h * 0x297A2D39 & MASK) >> 24


def finalised(h):
    """murmur3's, of 32 bits."""
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def rule_of(fill, number):
    """From an index to a value."""
    if not fill:
        return lambda i: generated(number, i)
    if isinstance(fill, str):
        return {"index": lambda i: i, "zero": lambda i: 0}[fill]
    (rule, operand), = fill.items()
    return {"modulo": lambda i: i % operand, "hash": lambda i: finalised(i) % operand,
            "values": lambda i: operand[i % len(operand)]}[rule]


def packed(base, values):
    if base == "f16":
        return b"".join(struct.pack("<e", value) for value in values)
    if base == "bf16":  # the upper half of a float, rounded to the nearest
        bits = (struct.unpack("<I", struct.pack("<f", value))[0] for value in values)
        return b"".join(struct.pack("<H", one + 0x7FFF + (one >> 16 & 1) >> 16) for one in bits)
    real = base.startswith("f")
    bits = 8 * struct.calcsize("<" + FORMATS[base])
    if not real and base.startswith("i"):
        values = [(value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for value in values]
    elif not real:
        values = [value % (1 << bits) for value in values]
    return array.array(FORMATS[base], values).tobytes()


def contents(folder, kind, elements, role, fill, number):
    """A file that holds what the buffer does before the launch."""
    key = json.dumps([kind, elements, role == "output", fill, number])
    path = pathlib.Path(folder, f"buffer_{hashlib.sha256(key.encode()).hexdigest()[:16]}.bin")
    if path.exists():
        return path
    base, width = parts_of(kind)
    if role == "output":  # source_launch_fill() of kernels/source/source_launch.c
        data = b"\xa5" * (elements * width * struct.calcsize("<" + FORMATS.get(base, "e")))
    else:
        rule = rule_of(json.loads(fill), number)
        data = packed(base, [rule(i) for i in range(elements * width)])
    path.write_bytes(data)
    return path


def buffers_of(request):
    """What contents() is asked for, by the arguments that are buffers."""
    buffers = [argument for argument in request["arguments"] if "elements" in argument]
    return [(one["type"], elements_of(one["elements"], request), one["role"], json.dumps(one.get("fill")), number)
            for number, one in enumerate(buffers)]


def fill_all(folder, launches):
    """Makes the files of all launches, on all processors."""
    wanted = sorted({buffer for one in launches for buffer in buffers_of(one["request"])})
    with concurrent.futures.ProcessPoolExecutor() as pool:
        list(pool.map(contents, [folder] * len(wanted), *zip(*wanted)))


def elements_of(expression, request):
    """An expression of scalar arguments, as the kernels here have them."""
    assert re.fullmatch(r"[\w\s+*/()-]+", str(expression)), expression
    scalars = {name: value for name, value in request.items() if isinstance(value, (int, float))}
    text = re.sub(r"[A-Za-z_]\w*", lambda name: str(scalars.get(name[0], name[0])), str(expression))  # a name may be a word of Python
    return int(eval(text, {"__builtins__": {}, "ceil": math.ceil}))


def three(shape):
    shape = shape if isinstance(shape, list) else [shape]
    return " ".join(str(one) for one in (shape + [1, 1])[:3])


def lines_of(one, folder, cubins="", output=None):
    """What the launcher reads. `output`: a buffer's name to the file where it is written, or None."""
    request = one["request"]
    yield f"kernel {pathlib.Path(cubins, one['cubin'])} {one['entry']}"
    yield f"grid {three(request['grid'])}"
    yield f"block {three(request['block'])}"
    yield f"shared {request.get('shared_bytes', 0)}"
    buffers = iter(buffers_of(request))
    for argument in request["arguments"]:
        if "elements" not in argument:
            yield "value " + packed(argument["type"], [request[argument["name"]]]).hex()
            continue
        yield f"buffer {contents(folder, *next(buffers))}"
        if output and argument["role"] != "input":
            yield f"output {output(argument['name'])}"
    for name, constant in request.get("constants", {}).items():
        yield f"constant {name} " + packed(parts_of(constant["type"])[0], constant["values"]).hex()
    yield "go"
