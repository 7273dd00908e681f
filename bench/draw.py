"""Random configurations of any kernel, from what GET /v1/kernels says of it."""

BLOCKS = [32, 33, 64, 96, 100, 128, 255, 256, 500, 512, 1000, 1024]
NUMBERS = [0, 1, 2, 3, 7, 8, 11, 16, 31, 32, 33, 100, 128]


def value(random, parameter, size):
    if parameter["type"] == "choice":
        return random.choice(parameter["choices"])
    if "values" in parameter:
        return random.choice(parameter["values"])
    most = size if parameter["max"] == "size" else parameter["max"]
    return min(max(random.choice(NUMBERS), parameter["min"]), most)


def request(random, kernel, largest=300000):
    """May be one that the kernel refuses (422)."""
    if kernel["size_dims"] == 2:
        size = [random.randint(1, 700), random.randint(1, 700)]
        elements = size[0] * size[1]
    else:
        size = elements = random.choice([random.randint(1, largest), 32 * random.randint(1, largest // 32)])
    block = random.choice(BLOCKS)
    if kernel["block_dims"] == 2:
        x = random.choice([1, 8, 15, 16, 32, 33, 64, 256])
        block = [x, random.randint(1, 1024 // x)]
    made = {"kernel": kernel["name"], "dtype": random.choice(kernel["dtypes"]), "size": size, "block": block}
    if kernel["grid_stride"] and random.random() < 0.5:
        made["grid"] = random.randint(1, 500)
    for parameter in kernel["parameters"]:
        made[parameter["name"]] = value(random, parameter, elements)
    return made
