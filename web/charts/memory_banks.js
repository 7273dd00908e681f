/* Memory that moves no sectors. Shared memory: its 32 banks side by side. What several lanes want of one bank,
   different words, stands in rows below each other: as many rows as turns. Of 16 banks, which serve each half of a warp
   by itself, the rows of the second half are below those of the first. Constant memory: the words that the lanes want,
   which are answered one after the other. */
import {words_of} from "./memory_access.js";
import {curve, lanes_draw, CURVE} from "./memory_lanes.js";
import {rect, text} from "./svg.js";
import "./words.js";

const WORD = 4, ROWS_DRAWN = 32, HALF_WARP_BANKS = 16, HALF_WARP = 16, HALF_GAP = 5;

/* The fetches of each bank, in the order of their addresses: an array of `count` arrays. One fetch of a bank of 4 bytes
   gives one word; one fetch of a bank of 8 bytes gives two words whose addresses are 128 bytes apart. */
export function banks_of(lanes, bank_bytes, count) {
  const banks = Array.from({length: count}, () => []), across = count * WORD;
  for (const lane of lanes)
    for (let byte = lane.address - lane.address % WORD; byte < lane.address + lane.bytes; byte += WORD) {
      const bank = banks[byte / WORD % count],
            address = bank_bytes > WORD ? byte - byte % (2 * across) + byte % across : byte;
      const fetch = bank.find(one => one.address === address);
      if (!fetch)
        bank.push({address, lanes: [lane.lane]});
      else if (!fetch.lanes.includes(lane.lane))
        fetch.lanes.push(lane.lane);
    }
  banks.forEach(bank => bank.sort((a, b) => a.address - b.address));
  return banks;
}

/* The lanes that are served together, a list each. */
function requests_of(lanes, count) {
  if (count !== HALF_WARP_BANKS) return [lanes];
  return [lanes.filter(one => one.lane < HALF_WARP), lanes.filter(one => one.lane >= HALF_WARP)];
}

export function banks_draw(group, area, context) {
  const {bank_bytes: bytes, bank_count: count} = context.explain, requests = requests_of(context.lanes, count);
  const width = Math.min(area.width, 620),
        lanes = lanes_draw(group, context.lanes, {...area, width, room: area.width - width}, context);
  const drawn = requests.map(asking => banks_of(asking, bytes, count)), most = Math.floor(ROWS_DRAWN / drawn.length),
        rows = drawn.map(banks => Math.min(most, Math.max(1, ...banks.map(bank => bank.length)))),
        rows_all = rows.reduce((sum, one) => sum + one, 0);
  const pitch = width / count, height = rows_all > 8 ? 7 : 12, top = lanes.bottom + CURVE;
  const put = (word, row, x, y) => {
    group.append(rect(
      x + 0.5, y, pitch - 1.5, height,
      word && row > 0 ? {class: "bank in-turn", fill: context.fill} : {class: word ? "bank used" : "bank"}));
    if (!word || row > 0 && rows_all > 8) return;
    for (const lane of word.lanes)
      curve(group, lanes.middles[lane], x + pitch / 2, lanes.bottom + 1, top - 1, `${context.index}:${lane}`);
  };
  let bottom = top;
  drawn.forEach((banks, half) => {
    if (half > 0) bottom += HALF_GAP;
    for (let row = 0; row < rows[half]; row++, bottom += height + 2)
      banks.forEach((bank, k) => put(bank[row], row, area.x + k * pitch, bottom));
  });
  if (!context.frame.phone) {
    for (const bank of [0, count / 4, count / 2, count * 3 / 4, count - 1])
      group.append(
        text(area.x + bank * pitch + pitch / 2, bottom + 11, String(bank), {class: "tick", "text-anchor": "middle"}));
    const said = drawn.length > 1 ? "memory.half_banks" : "memory.banks";
    group.append(text(area.x, bottom + 26, context.say(said, {n: bytes}), {class: "note"}));
  }
  return {middle: top + 8, bottom: bottom + (context.frame.phone ? 4 : 30)};
}

export function constants_draw(group, area, context) {
  const words = words_of(context.lanes), width = Math.min(area.width, 620);
  const lanes = lanes_draw(group, context.lanes, {...area, width: width / 2, room: area.width - width / 2}, context);
  const top = lanes.bottom + CURVE, pitch = Math.min(40, width / Math.max(1, words.length));
  words.forEach((word, k) => {
    const x = area.x + k * pitch;
    group.append(rect(
      x + 0.5, top, Math.max(2, pitch - 2), 22,
      k > 0 ? {class: "bank in-turn", fill: context.fill} : {class: "bank used"}));
    for (const lane of word.lanes)
      curve(group, lanes.middles[lane], x + pitch / 2, lanes.bottom + 1, top - 1, `${context.index}:${lane}`);
  });
  if (!context.frame.phone) group.append(text(area.x, top + 36, context.say("memory.constants"), {class: "note"}));
  return {middle: top + 10, bottom: top + (context.frame.phone ? 26 : 40), turns: words.length};
}
