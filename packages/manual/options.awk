# Turns what `coalesced --help` prints into the lists of its man page; -v part=options or part=commands.
function troff(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    return text
}

function item(name, rest, text)
{
    printf ".TP\n\\fB%s\\fR%s\n%s\n", troff(name), troff(rest), troff(text)
}

/^Commands/ { commands = 1 }

# "  --flag VALUE  (VARIABLE)", and its text in the next line.
part == "options" && /^  --/ {
    name = $1
    rest = substr($0, 3 + length(name))
    getline
    sub(/^ +/, "")
    item(name, rest, $0)
}

# "  coalesced WORD ARGUMENTS    text"
part == "commands" && commands && /^  coalesced / {
    line = substr($0, 3)
    at = index(line, "    ")
    name = $1 " " $2
    item(name, substr(line, length(name) + 1, at - length(name) - 1), substr(line, at + 4))
}
