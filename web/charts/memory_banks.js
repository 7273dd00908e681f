/* Memory that moves no sectors. Shared memory: its 32 banks side by side. What several lanes want of one bank,
   different words, stands in rows below each other: as many rows as turns. Constant memory: the words that the lanes
   want, which are answered one after the other. */
import {words_of} from "./memory_access.js";
import {curve, lanes_draw, CURVE} from "./memory_lanes.js";
import {rect, text} from "./svg.js";
import "./words.js";

const BANKS = 32, WORD = 4, ROWS_DRAWN = 32;

/* The fetches of each bank, in the order of their addresses: an array of 32 arrays. One fetch of a bank of 4 bytes
   gives one word; one fetch of a bank of 8 bytes gives two words whose addresses are 128 bytes apart. */
export function banks_of(lanes, bank_bytes) {
  const banks = Array.from({length: BANKS}, () => []), across = BANKS * WORD;
  for (const lane of lanes)
    for (let byte = lane.address - lane.address % WORD; byte < lane.address + lane.bytes; byte += WORD) {
      const bank = banks[byte / WORD % BANKS],
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

export function banks_draw(group, area, context) {
  const {bank_bytes: bytes} = context.explain, banks = banks_of(context.lanes, bytes),
                     rows = Math.min(ROWS_DRAWN, Math.max(1, ...banks.map(bank => bank.length)));
  const width = Math.min(area.width, 620),
        lanes = lanes_draw(group, context.lanes, {...area, width, room: area.width - width}, context);
  const pitch = width / BANKS, height = rows > 8 ? 7 : 12, top = lanes.bottom + CURVE;
  for (let bank = 0; bank < BANKS; bank++) {
    const x = area.x + bank * pitch;
    for (let row = 0; row < rows; row++) {
      const word = banks[bank][row];
      const box = rect(
        x + 0.5, top + row * (height + 2), pitch - 1.5, height,
        word && row > 0 ? {class: "bank in-turn", fill: context.fill} : {class: word ? "bank used" : "bank"});
      group.append(box);
      if (word)
        word.lanes.forEach(lane => {
          if (row === 0 || rows <= 8)
            curve(group, lanes.middles[lane], x + pitch / 2, lanes.bottom + 1, top - 1, `${context.index}:${lane}`);
        });
    }
  }
  const bottom = top + rows * (height + 2);
  if (!context.frame.phone) {
    for (const bank of [0, 8, 16, 24, 31])
      group.append(
        text(area.x + bank * pitch + pitch / 2, bottom + 11, String(bank), {class: "tick", "text-anchor": "middle"}));
    group.append(text(area.x, bottom + 26, context.say("memory.banks", {n: bytes}), {class: "note"}));
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
