#include "client/manual/completion.h"

#include <string.h>

/* bash ends a word at "=", so the part before it is cut off the candidates. */
static const char bash[] =
    "# Completion of coalesce for bash.\n"
    "_coalesce()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words candidates\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    local word=${words[-1]}\n"
    "    mapfile -t candidates < <(\"${words[0]}\" --complete \"${words[@]:1}\" 2>/dev/null | cut -f 1)\n"
    "    COMPREPLY=(\"${candidates[@]}\")\n"
    "    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*=}\"}\"}\")\n"
    "    fi\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _coalesce coalesce\n";

static const char zsh[] =
    "#compdef coalesce\n"
    "# Completion of coalesce for zsh.\n"
    "_coalesce()\n"
    "{\n"
    "    local -a lines open closed\n"
    "    local line\n"
    "    lines=(\"${(@f)$(\"${words[1]}\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null | cut -f 1)}\")\n"
    "    for line in $lines; do\n"
    "        if [[ $line == *= ]]; then open+=(\"$line\"); else closed+=(\"$line\"); fi\n"
    "    done\n"
    "    compadd -S '' -a open\n"
    "    compadd -a closed\n"
    "    (( ${#lines} )) || _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _coalesce ]; then _coalesce \"$@\"; else compdef _coalesce coalesce; fi\n";

static const char fish[] =
    "# Completion of coalesce for fish.\n"
    "function __coalesce\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] --complete $words[2..-1] 2>/dev/null\n"
    "end\n"
    "complete -c coalesce -f -a '(__coalesce)'\n"
    "complete -c coalesce -n '__fish_seen_subcommand_from export' -s o -l output -r -F\n";

int completion_print(FILE *out, const char *shell)
{
    const char *script = strcmp(shell, "bash") == 0   ? bash
                         : strcmp(shell, "zsh") == 0  ? zsh
                         : strcmp(shell, "fish") == 0 ? fish
                                                      : NULL;
    if (script)
        fputs(script, out);
    return script ? 0 : -1;
}
