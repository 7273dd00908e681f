import "./words.js";
/* What one access of a warp touches, ready to be drawn: from an access of `explain` to lines, sectors, words and runs
   of bytes. Nothing is counted here that the service counts; what it says is only put in order. */
export const SECTOR = 32, LINE = 128, LINES_DRAWN = 64;

/* Runs of equal bits in a sector's mask: [{from, to, used}], bytes, `to` not included. */
export function mask_runs(mask) {
  const bits = BigInt("0x" + String(mask).replace(/^0x/, "")), runs = [];
  for (let byte = 0; byte < SECTOR; byte++) {
    const used = (bits >> BigInt(byte) & 1n) === 1n, last = runs[runs.length - 1];
    if (last && last.used === used)
      last.to = byte + 1;
    else
      runs.push({from: byte, to: byte + 1, used});
  }
  return runs;
}

/* The lanes that access something: [{lane, element, address, bytes}]. */
export function lanes_of(access, instruction) {
  return access.addresses.flatMap(
    (address, lane) =>
      address === null ? [] : [{lane, element: access.elements[lane], address, bytes: instruction.access_bytes}]);
}

/* Lanes by the address of their word: one entry a distinct word, in order. */
export function words_of(lanes) {
  const words = new Map();
  for (const lane of lanes) {
    const key = `${lane.address}:${lane.bytes}`;
    if (!words.has(key)) words.set(key, {address: lane.address, bytes: lane.bytes, element: lane.element, lanes: []});
    words.get(key).lanes.push(lane.lane);
  }
  return [...words.values()].sort((a, b) => a.address - b.address);
}

/* The sectors that move for an access: those that it touches, and whatever else lies in the transactions of the
   architecture. Segments of whole warps move their touched sectors. */
export function moved_sectors(access) {
  const moved = new Map((access.sectors ?? []).map(sector => [sector.address, sector]));
  const transactions = access.transactions ?? [], room = transactions.reduce((sum, one) => sum + one.bytes, 0);
  if (room === access.moved_bytes)
    for (const one of transactions)
      for (let at = one.address; at < one.address + one.bytes; at += SECTOR)
        if (!moved.has(at)) moved.set(at, {address: at, used_mask: "00000000", used_bytes: 0});
  return [...moved.values()].sort((a, b) => a.address - b.address);
}

/* Lines in order: [{address, sectors: [4 of {address, touched, used_bytes, runs}]}]; what is beyond LINES_DRAWN is
   counted in `left_out`. A sector that moves is touched. */
export function lines_of(access) {
  const lines = new Map();
  for (const sector of moved_sectors(access)) {
    const at = sector.address - sector.address % LINE;
    if (!lines.has(at)) lines.set(at, line_blank(at));
    lines.get(at).sectors[(sector.address - at) / SECTOR] =
      {address: sector.address, touched: true, used_bytes: sector.used_bytes, runs: mask_runs(sector.used_mask)};
  }
  const all = [...lines.values()].sort((a, b) => a.address - b.address);
  return {lines: all.slice(0, LINES_DRAWN), left_out: Math.max(0, all.length - LINES_DRAWN)};
}

export function line_blank(address) {
  const sectors = [0, 1, 2, 3].map(k => ({address: address + k * SECTOR, touched: false, used_bytes: 0, runs: []}));
  return {address, sectors};
}

/* What the warp alone did, as the service counts it: {lanes, requests, transactions, moved_bytes, used_bytes,
   efficiency}; efficiency null where nothing moved. */
export function access_counts(access) {
  const lanes = access.addresses.filter(address => address !== null).length;
  return {
    lanes,
    requests: lanes > 0 ? 1 : 0,
    transactions: access.transactions?.length ?? 0,
    moved_bytes: access.moved_bytes ?? 0,
    used_bytes: access.used_bytes ?? 0,
    efficiency: access.efficiency_pct ?? null
  };
}

export function counts_sum(counts) {
  const sum = {requests: 0, transactions: 0, moved_bytes: 0, used_bytes: 0};
  for (const one of counts)
    for (const name of Object.keys(sum)) sum[name] += one[name];
  return {...sum, efficiency: sum.moved_bytes > 0 ? 100 * sum.used_bytes / sum.moved_bytes : null};
}

/* So many of the unit that the architecture moves for an access to global memory; and the head over several. */
export function unit_words(instruction, n, {say}) {
  return instruction.unit ? say(`memory.unit.${instruction.unit}`, {n}) : "";
}

export function units_of({explain}) {
  return [...new Set(explain.instructions.map(one => one.unit).filter(Boolean))];
}

export function unit_head(context) {
  const units = units_of(context);
  return context.say(units.length === 1 ? `memory.units.${units[0]}` : "memory.moved");
}

/* The stretches that an access moves and does not use, joined over sectors that are neighbours:
   [{from, to}] in bytes of the array. */
export function waste_of(access) {
  const stretches = [];
  for (const sector of moved_sectors(access))
    for (const run of mask_runs(sector.used_mask)) {
      if (run.used) continue;
      const last = stretches[stretches.length - 1], from = sector.address + run.from, to = sector.address + run.to;
      if (last && last.to === from)
        last.to = to;
      else
        stretches.push({from, to});
    }
  return stretches;
}

/* How many bytes of a stretch an access of another warp uses. */
export function access_uses(access, stretch, bytes) {
  const used = new Set();
  for (const address of access?.addresses ?? [])
    if (address !== null)
      for (let byte = Math.max(address, stretch.from); byte < Math.min(address + bytes, stretch.to); byte++)
        used.add(byte);
  return used.size;
}

/* Whether shared memory is all that is accessed: then turns and conflicts are counted, and no sectors. */
export const shared_alone = ({explain}) =>
  explain.accesses.every(access => explain.instructions[access.instruction].space === "shared");
