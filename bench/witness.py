"""An executor under somebody else's eyes: ncu, compute-sanitizer. It is a command that speaks a line of JSON at a time."""
import json
import subprocess


class Executor:
    def __init__(self, binary, *watcher, device="cuda:0"):
        self.process = subprocess.Popen([*watcher, binary, "--executor", "--device", device], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.other = []  # lines that the watcher wrote between the executor's

    def run(self, name, request):
        """The message that ends it: a result or an error."""
        line = json.dumps({"type": "run", "id": name, "request": request}) + "\n"
        self.process.stdin.write(line)
        self.process.stdin.flush()
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                self.other.append(line)
                continue
            if message["type"] in ("result", "error"):
                return message
        raise RuntimeError("the executor ended: " + self.process.stderr.read()[-2000:])

    def end(self, seconds=120):
        """Its exit status, and what the watcher said."""
        out, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, "".join(self.other) + out + err
