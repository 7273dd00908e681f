#!/usr/bin/env python3
"""Mutated CUDA source, as many as wanted, against whole services, with a good client beside them.

    bench/source_fuzz.py --build build [--count 100000] [--services 1] [--clients 3] [--seed 1] [--traced 2000] [--out FILE]

Each client posts one mutated source after the other as a prediction. The sources are the kernels of source_kernels.py with
bytes, words and lines changed, removed, doubled and exchanged, and with pieces that want out: files to include, directives
of the assembler, bombs of macros and templates, loops without end. Meanwhile one good client asks the first service for its
devices, for a prediction of the suite and for one of a known source, every 20 ms.

Reported are the answers by status and type, the longest one, the good client's times before and during the flood, and what each service
held at the end against its second minute: memory, descriptors, children. After that a service runs below strace
for --traced sources, and every path that a sealed process opened is listed (0: no strace). Exit 1: a service ended, an answer was
none of its own, a process behind the wall opened something, or an answer took longer than its budget."""
import argparse
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from report import report_begin, report_end
from source_kernels import KERNELS

BUDGET_S = 60  # that a prediction may take, the wait for others' included
HANG_S = 120
HEAD_S = 5  # of the good client alone
PAUSE_S = 0.02
WANT_OUT = ['#include "/etc/passwd"\n', "#include </proc/self/environ>\n", "#if __has_include(\"/etc/shadow\")\n#error there\n#endif\n",
            'asm(".include \\"/etc/passwd\\"");', 'asm volatile(".file 1 \\"/etc/passwd\\"");', "#line 1 \"/etc/passwd\"\n",
            "template <int N> struct deep { enum { v = deep<N - 1>::v + deep<N - 2>::v }; };\n", "int big[1 << 30] = {1};\n",
            "#define D0 x x x x\n#define D1 D0 D0 D0 D0\n#define D2 D1 D1 D1 D1\n#define D3 D2 D2 D2 D2\nint D3;\n",
            "for (;;) ;", "while (1) __syncthreads();", "__nanosleep(1u << 30);", "*(int *)0 = 1;", "asm(\"trap;\");", "printf(\"%s\", 1);",
            "__shared__ double all[1 << 20];", "__device__ int far_array[1ull << 40];\n", "float local[1 << 18]; local[n & 7] = 1;",
            "recursive(n);", "goto out;", "#pragma unroll 1000000\n", "alignas(1 << 20) int a;", "\x00", "\\u202e", "}", "{", "/*", "\""]
NUMBERS = ["0", "1", "-1", "31", "32", "33", "0xffffffffu", "1ull << 63", "1e308", "2147483648", "n", "threadIdx.x"]
OPERATORS = "[-+*/%<>&|^]"
WORD = re.compile(r"\w+|[^\w\s]")


def mutated(text, draw):
    """A text with one to four changes; about half of them are ones that a compiler takes."""
    for _ in range(draw.choice((1, 1, 1, 1, 2, 2, 4))):
        way = draw.choice((0, 1, 2, 3, 4, 5, 6, *(7,) * 7, *(8,) * 4, *(9,) * 4))
        words = [match.span() for match in WORD.finditer(text)] or [(0, 0)]
        if way in (7, 8, 9):
            wanted = {7: OPERATORS, 8: r"\d\w*", 9: r"[a-zA-Z_]\w*"}[way]
            words = [(a, b) for a, b in words if re.fullmatch(wanted, text[a:b])] or words
        begin, end = draw.choice(words)
        if way == 0:
            text = text[:begin] + text[end:]
        elif way == 1:
            other = draw.choice(words)
            text = text[:begin] + text[other[0]:other[1]] + text[end:]
        elif way == 2:
            text = text[:begin] + draw.choice(NUMBERS) + text[end:]
        elif way == 3:
            text = text[:begin] + draw.choice(WANT_OUT) + text[begin:]
        elif way == 4:
            lines = text.splitlines(keepends=True)
            at, to = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[at], lines[to] = lines[to], lines[at]
            text = "".join(lines)
        elif way == 5:
            at = draw.randrange(len(text) + 1)
            text = text[:at] + chr(draw.choice((draw.randrange(1, 128), draw.randrange(1, 0xD800)))) + text[at + 1:]
        elif way == 6:
            at = draw.randrange(len(text) + 1)
            text = text[:at] + text[at:at + draw.randrange(1, 200)] * draw.choice((2, 2, 30)) + text[at:]
        elif way == 7:
            text = text[:begin] + draw.choice("+-*/%<>&|^") + text[end:]
        elif way == 8:
            text = text[:begin] + draw.choice(NUMBERS) + text[end:]
        else:
            other = draw.choice(words)
            text = text[:begin] + text[other[0]:other[1]] + text[end:]
    return text[:65536]


class Service:
    def __init__(self, build, before=()):
        self.folder = tempfile.TemporaryDirectory()
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")
        self.process = subprocess.Popen([*before, str(build / "coalesced"), "--port", "0", "--data-dir", self.folder.name + "/data",
                                         "--log-level", "warning"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.pid = self.process.pid if not before else children_of(self.process.pid)[0]

    def connection(self, own="127.0.0.1"):
        """Clients are told from each other by their addresses where there are no tokens."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_S, source_address=(own, 0))

    def held(self):
        """Memory in KiB, descriptors and children, of the service and of its two sandboxes."""
        told = {}
        for name, pid in (("service", self.pid), ("compiler", sandbox_of(self.pid, False)), ("launcher", sandbox_of(self.pid, True))):
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            told[name] = {"rss_kib": int(re.search(r"VmRSS:\s+(\d+)", status).group(1)), "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
                          "children": len(children_of(pid)), "threads": int(re.search(r"Threads:\s+(\d+)", status).group(1))}
        return told

    def end(self):
        os.kill(self.pid, 15)
        self.process.wait(60)


def children_of(pid):
    return [int(child) for task in os.listdir(f"/proc/{pid}/task")
            for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()]


def sandbox_of(pid, launches):
    for child in children_of(pid):
        command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
        if b"--sandbox" in command and (b"--launches" in command) == launches:
            return child
    raise LookupError("the service has no such sandbox")


def ask(connection, method, path, body=None):
    """The status, and the document's type where it is a problem."""
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    text = answer.read()
    kind = json.loads(text).get("type", "") if answer.status >= 400 else ""
    return answer.status, kind.rpartition("/")[2]


def bodies(seed, count):
    draw = random.Random(seed)
    names = sorted(KERNELS)
    for _ in range(count):
        source, arguments, launches, more = KERNELS[draw.choice(names)]
        request = {"source": mutated(source, draw), "arguments": arguments, **draw.choice(launches), **more, "arch": "sm_90"}
        yield json.dumps({name: value for name, value in request.items() if name != "instance"})


def bad_client(service, seed, count, found):
    connection = service.connection("127.0.0.2")
    for body in bodies(seed, count):
        begin = time.monotonic()
        try:
            answer = ask(connection, "POST", "/v1/predictions", body)
        except (OSError, http.client.HTTPException, ValueError) as why:
            answer = ("none", type(why).__name__)
            connection.close()
        took = time.monotonic() - begin
        with found["lock"]:
            found["answers"][" ".join(map(str, answer)).strip()] += 1
            found["seconds"].append(took)
            if answer[0] in ("none", 500) or took > BUDGET_S:
                found["wrong"].append({"answer": answer, "seconds": round(took, 1), "seed": seed, "body": body[:4000]})


def good_client(service, over, times):
    source, arguments, launches, more = KERNELS["copy_f32"]
    known = json.dumps({"source": source, "arguments": arguments, **launches[0], **more, "arch": "sm_90"})
    asks = [("GET", "/v1/devices", None), ("POST", "/v1/predictions", json.dumps({"kernel": "copy", "size": 65536})),
            ("POST", "/v1/predictions", known)]
    connection = service.connection()
    ask(connection, *asks[2])  # compiled once
    while not over.is_set():
        for name, one in zip(("devices", "suite", "known_source"), asks):
            begin = time.monotonic()
            status, _ = ask(connection, *one)
            times[name].append((time.monotonic() - begin) * 1e3)
            times["refused"] += [status] if status != 200 else []
            time.sleep(PAUSE_S)


def told(times):
    answer = {}
    for name in ("devices", "suite", "known_source"):
        row = sorted(times[name])
        answer[name] = {"asked": len(row), "median_ms": round(row[len(row) // 2], 2), "p99_ms": round(row[len(row) * 99 // 100], 2),
                        "max_ms": round(row[-1], 2)}
    return answer | {"refused": dict(collections.Counter(times["refused"]))}


def beside(service, work):
    """What the good client had before `work` and during it."""
    phases = []
    for body in (lambda: time.sleep(HEAD_S), work):
        times, over = collections.defaultdict(list), threading.Event()
        good = threading.Thread(target=good_client, args=(service, over, times))
        good.start()
        body()
        over.set()
        good.join()
        phases.append(told(times))
    return dict(zip(("before", "during"), phases))


def flood(services, arguments, found):
    """All clients of all services, in processes' threads: what each waits for is the network."""
    each = arguments.count // (len(services) * arguments.clients)
    with concurrent.futures.ThreadPoolExecutor(len(services) * arguments.clients) as pool:
        for number in range(len(services) * arguments.clients):
            pool.submit(bad_client, services[number % len(services)], arguments.seed * 1000 + number, each, found)


FILE_CALL = re.compile(r"^(\d+) .*?\b(open|openat|creat|execve|unlink|rename|mkdir|connect|socket)\w*\((.*)")


def opened_behind_the_wall(trace):
    """Of strace's log: calls about files that succeeded in a process behind its own seccomp()."""
    sealed, found = set(), []
    for line in trace.read_text(errors="replace").splitlines():
        pid = line.split(" ", 1)[0]
        if re.search(r"SECCOMP_SET_MODE_FILTER.*= 0$", line):
            sealed.add(pid)
        match = FILE_CALL.match(line)
        if match and pid in sealed and re.search(r"\)\s+= \d", line):
            found.append(line[:200])
    return len(sealed), found


def traced(arguments, found):
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        service = Service(arguments.build, ["strace", "-f", "-qq", "-e", "trace=%file,%network,seccomp,prctl", "-o", str(trace)])
        bad_client(service, arguments.seed * 1000 + 999, arguments.traced, found)
        service.end()
        sealed, opened = opened_behind_the_wall(trace)
    return {"sources": arguments.traced, "sealed_processes": sealed, "opened": opened[:20]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--services", type=int, default=1)
    parser.add_argument("--clients", type=int, default=3, help="of each service")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--traced", type=int, default=2000)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    report = report_begin(arguments.build, sources=arguments.count, services=arguments.services, clients=arguments.clients, seed=arguments.seed)
    found = {"answers": collections.Counter(), "seconds": [], "wrong": [], "lock": threading.Lock()}
    services = [Service(arguments.build) for _ in range(arguments.services)]
    warm = dict(found, answers=collections.Counter(), seconds=[], wrong=[])
    flood(services, argparse.Namespace(**{**vars(arguments), "count": min(2000, arguments.count // 5), "seed": arguments.seed + 100}), warm)
    before = [service.held() for service in services]
    begin = time.monotonic()
    report["good_client"] = beside(services[0], lambda: flood(services, arguments, found))
    seconds = sorted(found["seconds"])
    report |= {"seconds": round(time.monotonic() - begin - HEAD_S, 1), "answers": dict(found["answers"].most_common()),
               "answer_seconds": {"median": round(seconds[len(seconds) // 2], 3), "p99": round(seconds[len(seconds) * 99 // 100], 3),
                                  "longest": round(seconds[-1], 3), "budget": BUDGET_S}}
    time.sleep(2)
    after = [service.held() for service in services]
    report["held"] = {"before": before, "after": after}
    alive = [service.process.poll() is None for service in services]
    for service in services:
        service.end()
    if arguments.traced and shutil.which("strace"):
        report["strace"] = traced(arguments, found)
    report["wrong"] = found["wrong"][:20]
    report_end(report, arguments.out)
    sys.exit(0 if all(alive) and not found["wrong"] and not report.get("strace", {}).get("opened") else 1)


if __name__ == "__main__":
    main()
