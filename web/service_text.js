/* What the service says in a page: plainText(text) is its sentence without what only a program can do with it, a path,
   a method or JSON. A sentence is English or Chinese, as it came. tests/browser/test_result_page.py holds the rules
   against all of the service's sentences. */
import {moment} from "./format.js";

const at = (text, language) => Number.isNaN(Date.parse(text)) ? text : moment(text, language);

export const perCent = text => `${Number((100 * Number(text)).toPrecision(2))} %`;

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/* A function that gives the Chinese of an English sentence, or null: `rows` are patterns as those of reasons.js. A
   sentence may begin with the name of its field: "block: ...". */
export function translatorOf(rows) {
  const rules = rows.map(([english, zh]) => [new RegExp(`^${english.split("%").map(escaped).join("(.+?)")}\\.?$`), zh]);
  return whole => {
    const text = whole.replace(/^(?:#\/)?(?!throttled)[\w/.]+: /, "");
    for (const [pattern, zh] of rules) {
      const found = pattern.exec(text);
      if (found)
        return zh.replace(/\{(\d)(%?)\}/g, (_, n, unit) => unit ? perCent(found[Number(n)]) : found[Number(n)]);
    }
    return null;
  };
}

/* In their order: what is replaced, and by what. */
// clang-format off
const RULES = [
  [/^#\/([\w/]+)(?=: |：)/, (_, path) => path.replaceAll("/", ".")],
  [/^((?:cold|hot) samples: noise stayed at )(\S+), (\S+) was asked for/, (_, what, noise, most) => `${what}${perCent(noise)}, at most ${perCent(most)} was asked for`],
  [/"transfers": "pageable" or "pinned" asks for them/, "transfers were not asked for"],
  [/"counters": true asks for them/, "the counters were not read"],
  [/, as (?:GET )?\/v1\/devices (?:tells|lists) (?:it|them)(?: in \w+)?/, ""],
  [/ ?GET \/v1\/[\w/]+(?: and \/v1\/\w+)? lists? (?:them|the kernels)/, ""],
  [/ ?GET \/v1\/[\w/]+(?: 与 \/v1\/\w+)? 列出(?:全部|内核)/, ""],
  [/; a list of values to try is for POST \/v1\/sweeps|；要尝试多个值，请用 POST \/v1\/sweeps/, ""],
  [/; for the device called so say "device": ".*?"|；若指叫这个名字的设备，请写 "device": ".*?"/, ""],
  [/，见 (?:GET )?\/v1\/devices(?: 的 \w+)?/, ""],
  [/; POST \/v1\/predictions makes one|；POST \/v1\/predictions 给出一个/, ""],
  [/ ?[(（][^()（）]*\?remove=true[^()（）]*[)）]/, ""],
  [/; DELETE with(?: \?remove=true removes|out remove cancels) it/, ""],
  [/；带 \?remove=true 的 DELETE 会删除它|；不带 remove 的 DELETE 会取消它/, ""],
  [/POST \/v1\/\S+\/restore brings it back until (\S+), for (.+)/, (_, until, who) => `${who} can bring it back until ${at(until, "en")}`],
  [/在 (\S+) 之前，(.+?)可用 POST \/v1\/\S+\/restore 恢复/, (_, until, who) => `${at(until, "zh")} 前${who}可以恢复`],
  [/POST \/v1\/\S+\/restore brings it back until (.+)/, (_, until) => `Undo brings it back until ${at(until, "en")}`],
  [/在 (.+) 之前可用 POST \/v1\/\S+\/restore 恢复/, (_, until) => `${at(until, "zh")} 前可撤销`],
  [/POST \/v1\/sweeps\/(\S+)\/restore first/, "bring back sweep $1 first"],
  [/请先用 POST \/v1\/sweeps\/\S+\/restore 恢复该扫描/, "请先恢复该扫描"],
  [/"spread": true lets each go/, "spread over the devices each goes"],
  [/"spread": true 让每个点去/, "分散到各设备，每个点可去"],
  [/\["one", "another"\]/, "one, another"],
  [/(?<!\w)\[(\d+(?:, "?[\w. ]+"?)*)\]/, "$1"],
  [/\{"(\w+)": "?([\w.]+)"?\}/g, "$1=$2"],
  [/"(\w+)": (?:"([\w.]+)"|(true|false|\d+|\w+=\w+))(?!, "values")/g, (_, name, text, value) => `${name} ${text ?? value}`],
];
// clang-format on

export function plainText(text) {
  const plain = RULES.reduce((left, [pattern, words]) => left.replace(pattern, words), text);
  return plain === text ? text : plain.replace(/[;,:；，：]\s*$/, "");
}
