"""One kernel of a file of CUDA C++, with what its device code needs, and nothing else of the file.

extract(root, path, entry) preprocesses the file with its own headers inlined (all others are left out), cuts the text into
top-level declarations by matching braces, and keeps, in their order, those that the kernel reaches by name: functions of the
device, types, constants, and variables of the device. Macros are expanded, so none is left."""
import pathlib
import re
import subprocess

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">].*$', re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
AGGREGATE = re.compile(r"^(?:template\s*<[^{;]*>\s*)?(?:typedef\s+)?(?:static\s+)?(?:const\s+)?(?:struct|class|union|enum)\b(?![^{;]*\()")
WRAPPER = re.compile(r'^(?:extern\s*"C(?:\+\+)?"|(?:inline\s+)?namespace(?:\s+\w+)?)\s*\{')
ATTRIBUTE = re.compile(r"\b(?:__launch_bounds__|__attribute__|__align__|alignas|__declspec|__block_size__)\s*\(+[^()]*(?:\([^()]*\)[^()]*)*\)+")


class NotFound(Exception):
    pass


def inlined(path, folders, seen):
    """Its text with the headers of the collection in the places of their includes, each once."""
    seen.add(path.resolve())

    def header(match):
        near = [path.parent, *folders] if match.group(1) == '"' else folders
        found = next((place / match.group(2) for place in near if (place / match.group(2)).is_file()), None)
        if not found or found.resolve() in seen:
            return ""
        return inlined(found, folders, seen)
    return INCLUDE.sub(header, path.read_text(errors="replace"))


def preprocessed(text, defines):
    command = ["cpp", "-x", "c++", "-std=c++17", "-undef", "-nostdinc", "-P", "-w", "-D__CUDACC__", "-D__cplusplus=201703L",
               "-D__CUDA_ARCH__=900", *(f"-D{one}" for one in defines), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stdout


def end_of(text, at):
    """Where the declaration that begins there ends, and where its body's braces open (-1: it has none)."""
    depth, opened, aggregate = 0, -1, None
    quote = ""
    i = at
    while i < len(text):
        c = text[i]
        if quote:
            i += c == "\\"
            quote = "" if c == quote else quote
        elif c == '"' or c == "'" and not (i and text[i - 1].isalnum()):
            quote = c
        elif c in "({[":
            if c == "{" and depth == 0:
                opened = i if opened < 0 else opened
                aggregate = bool(AGGREGATE.match(ATTRIBUTE.sub(" ", text[at:i]))) or "=" in re.sub(r"operator\s*\S+|<[^<>]*>|\([^()]*\)", "", text[at:i])
            depth += 1
        elif c in ")}]":
            depth -= 1
            if c == "}" and depth == 0 and not aggregate:
                return i + 1, opened
        elif c == ";" and depth == 0:
            return i + 1, opened
        i += 1
    return len(text), opened


def declarations(text):
    """The top-level declarations in their order; what stands in namespaces and linkage blocks is top-level, too."""
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] in ";}":
            at += 1
            continue
        if text[at] == "#":  # a pragma
            at = (text.find("\n", at) + 1) or len(text)
            continue
        wrapper = WRAPPER.match(text[at:at + 200])
        if wrapper:
            at += wrapper.end()
            continue
        end, opened = end_of(text, at)
        yield text[at:end], opened - at
        at = end


def names_of(text, opened):
    """What a declaration declares that device code can use, and whether it is a function."""
    head = ATTRIBUTE.sub(" ", text[:opened] if opened >= 0 else text)
    bare = re.sub(r"^template\s*<(?:[^<>]|<[^<>]*>)*>", "", head.strip())
    if re.match(r"(?:using|typedef)\b", bare) or AGGREGATE.match(head.strip()):
        names = set(re.findall(r"(?:struct|class|union|enum|using)\s+(?:class\s+)?(\w+)", head))
        if "typedef" in head.split("{")[0]:
            names.update(WORD.findall(text[text.rfind("}") + 1:] if opened >= 0 else bare)[-1:])
            names.update(re.findall(r"\(\s*\*\s*(\w+)\s*\)", text) if opened < 0 else [])
        if re.match(r"(?:typedef\s+)?enum\b", bare):
            names.update(re.findall(r"(\w+)\s*(?:=[^,}]*)?[,}]", text[opened:]))
        return names, False
    if "(" in bare.split("=")[0] and not re.match(r".*__(constant|shared)__", bare.split("(")[0]):
        called = re.search(r"(operator\s*[^\s(]+|\w+)\s*(?:<[^()]*>)?\s*\(", bare)
        device = re.search(r"__device__|__global__|\bconstexpr\b", head)
        return ({called.group(1)} if called and device else set()), True
    if not re.search(r"__constant__|__device__|__managed__|\bconst\b|\bconstexpr\b", bare):
        return set(), False
    return set(re.findall(r"(\w+)\s*(?:\[[^=;]*\]\s*)?(?:[=;,{]|$)", re.sub(r"=\s*\{.*?\}|=[^,;{]*", "=", bare, flags=re.S))), False


def extract(root, path, entry, defines=(), folders=()):
    """The text. NotFound: there is no such kernel."""
    root = pathlib.Path(root)
    text = preprocessed(inlined(root / path, [root / one for one in folders], set()), defines)
    found = [(one, *names_of(one, opened)) for one, opened in declarations(text)]
    kernels = [i for i, (one, names, function) in enumerate(found) if function and "__global__" in one and entry in names and "{" in one]
    if not kernels:
        raise NotFound(f"{path} has no kernel {entry}")
    wanted, todo = set(kernels[:1]), [kernels[0]]
    while todo:
        used = set(WORD.findall(found[todo.pop()][0]))
        for i, (one, names, function) in enumerate(found):
            operators = any(name.startswith("operator") for name in names)
            if i not in wanted and (names & used or operators) and not (function and "__global__" in one):
                wanted.add(i)
                todo.append(i)
    return "\n".join(found[i][0].strip() for i in sorted(wanted)) + "\n"
