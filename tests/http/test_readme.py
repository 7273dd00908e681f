"""What the README tells people to type works as it stands there."""
import json
import re
import subprocess

from conftest import HERE

README = (HERE.parents[1] / "README.md").read_text()


def commands(word):
    """The README's commands that hold the word, as one line each."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if word in line]


def shell(service, command):
    command = command.replace("http://127.0.0.1:8080", service.url)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_address_that_is_printed_can_be_pasted(service):
    asked = commands(".links.csv")
    assert len(asked) == 1
    table = shell(service, "curl -s " + shell(service, asked[0]))
    assert table.startswith("index,offset,block,state,runs") and len(table.splitlines()) == 11



def test_the_warp_that_is_explained_is_the_last_one(service):
    asked = commands("explain.accesses")
    assert len(asked) == 1
    sectors = [json.loads(line) for line in shell(service, asked[0]).splitlines()]
    assert [sector["used_bytes"] for sector in sectors] == [20, 32, 32]  # of 21 lanes, up to the array's end
