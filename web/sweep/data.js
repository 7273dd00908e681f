/* A sweep in the page: its head, axes and points, read a page of the tables at a time. It follows events, so that of a
   running sweep only what changed is read again.

   const sweep = new Sweep(id, {signal, changed}); await sweep.begin() reads its head and its first points,
   readRest() all others; changed() is called after each reading. Then: head (as GET /v1/sweeps/{id} gives it), axes
   [{name, kind, values}], points [{index, values, state, runs, cold, hot, ...}] by index (of those that were read),
   read (how many). Of a sweep that is spread a point that ran on several devices has one such for each in its `parts`,
   and the device is an axis, marked `factor`; rows are the points by their parts. seen(event) takes an event of
   live.js. */
import * as api from "../api.js";
import {atMost} from "../live.js";
import {medianOf, rowsOf} from "../table.js";
import {failureDetail} from "../words.js";
import {allMetrics, metricColumns, readMetrics, unitsOf} from "./metrics.js";

const PAGE = 500, READ_MS = 1000, POLL_MS = 4000;
/* The columns of a run that are read besides those of the metrics. */
const RUN_COLUMNS = [
  "index id state failure_kind failure_detail failure_detail_zh device device_name device_alias dtype stable verified peak_gbps placement",
  "cold_median_us cold_effective_gbps measured_l1_hit_rate_pct predicted_us predicted_arch arch limiter",
  "published_elapsed_ms published_arch published_off"
].flatMap(names => names.split(" "));
const ENDED = new Set(["succeeded", "failed", "cancelled", "removed"]);
const SHAPE = /^\d+x\d+(x\d+)?$/;

export const hasEnded = state => ENDED.has(state);
export const shapeOf = value => String(value).split("x").map(Number);

const DEVICE = "device", KERNEL = "kernel";

/* Numbers and names of devices are sorted, other values stay in their order. */
function axisOf(name, values, factor) {
  if (factor) return {name, kind: "text", values: values.filter(Boolean).sort(), factor};
  if (values.every(value => typeof value === "number"))
    return {name, kind: "number", values: values.sort((a, b) => a - b)};
  const shapes = values.every(value => typeof value === "number" || SHAPE.test(value ?? ""));
  return {name, kind: shapes ? "shape" : "text", values};
}

const timesOf = (row, kind) => ({
  median: row[`${kind}_median_us`],
  low: row[`${kind}_ci95_low_us`],
  high: row[`${kind}_ci95_high_us`],
  gbps: row[`${kind}_effective_gbps`],
  ofPeak: row[`${kind}_of_peak`]
});

export class Sweep {
  constructor(id, {signal, changed}) {
    Object.assign(this, {
      id,
      signal,
      changed,
      path: `/v1/sweeps/${id}`,
      head: null,
      axes: [],
      points: [],
      read: 0,
      places: new Map(),
      dirty: new Set(),
      has: new Set(),
      units: new Set(), /* of the predicted transactions */
      seenValues: {},
      peaks: new Set()
    });
    this.catchUp = atMost(READ_MS, () => this.update().catch(() => {}));
    this.again = atMost(POLL_MS, () => {
      this.openAgain();
      this.catchUp();
    });
  }

  async begin() {
    const {signal} = this;
    [this.head] =
      await Promise.all([api.get(`${this.path}?view=summary&page_size=1`, {signal}), readMetrics({signal})]);
    const names = Object.keys(this.head.points[0]?.values ?? {});
    this.factor = this.head.spread && !names.includes(DEVICE);
    /* One point without an axis is drawn at its kernel. */
    if (!names.length) {
      this.kernel = [this.head.request.kernel ?? this.head.recipe].flat()[0];
      names.push(KERNEL);
    }
    this.names = this.factor ? [...names, DEVICE] : names;
    await this.pageRead(0, PAGE);
  }

  /* Reads the points behind the first page; the service makes the next page while this one is taken in. */
  async readRest() {
    const {point_count: all} = this.head, ask = from => from < all ? this.pageAsk(from, PAGE) : null;
    for (let from = PAGE, page = ask(from); page; from += PAGE) {
      const now = await page;
      page = ask(from + PAGE);
      this.pageTake(now);
      this.changed();
    }
    if (this.head.state === "running") this.catchUp();
  }

  table(view, from, size) {
    const columns = view === "runs" ? `&columns=${[...new Set([...RUN_COLUMNS, ...metricColumns()])]}` : "";
    return api
      .text(
        `${this.path}?view=${view}${columns}&page_size=${size}${from ? `&page_token=${from}` : ""}`,
        {signal: this.signal, headers: {Accept: "text/csv"}})
      .then(rowsOf);
  }

  /* Reads the points from..from + size with all of their runs. */
  async pageRead(from, size) {
    this.pageTake(await this.pageAsk(from, size));
  }

  /* The tables of these points: [summary, ...runs]. */
  pageAsk(from, size) {
    const {repeat} = this.head, wanted = Math.min(size, this.head.point_count - from) * repeat, pages = [];
    for (let at = 0; at < wanted; at += PAGE)
      pages.push(this.table("runs", from * repeat + at, Math.min(PAGE, wanted - at)));
    return Promise.all([this.table("summary", from, Math.min(size, this.head.point_count - from)), ...pages]);
  }

  pageTake([summary, ...runs]) {
    const byPoint = list => list.reduce((all, row) => {
      all.has(row.index) ? all.get(row.index).push(row) : all.set(row.index, [row]);
      return all;
    }, new Map());
    const of = byPoint(runs.flat());
    for (const [index, rows] of byPoint(summary)) {
      const ran = of.get(index) ?? [],
            parts =
              rows.map(row => this.pointOf(row, rows.length > 1 ? ran.filter(run => run.device === row.device) : ran));
      if (!this.points[index]) this.read++;
      this.points[index] = parts.length > 1 ? this.whole(parts, ran) : parts[0];
    }
    this.axesFind();
  }

  /* A point that ran on several devices: its state is that of all parts, its numbers are in the parts. */
  whole(parts, runs) {
    const states = parts.map(part => part.state), sum = name => parts.reduce((all, part) => all + part[name], 0);
    return {
      ...parts[0],
      parts,
      runs,
      id: null,
      asked: sum("asked"),
      succeeded: sum("succeeded"),
      state: ["running", "queued", "failed", "cancelled"].find(state => states.includes(state)) ?? states[0]
    };
  }

  get rows() {
    return this.points.flatMap(point => point?.parts ?? point ?? []);
  }

  pointOf(row, runs) {
    const values = Object.fromEntries(this.names.map(
            name =>
              [name,
               name === DEVICE && this.factor ? row.device_alias :
                 name === KERNEL              ? row[name] ?? this.kernel :
                                                row[name]])),
          first = runs.find(run => run.state === "succeeded") ?? runs[0] ?? {};
    const bad = runs.find(run => run.failure_kind !== null && run.state !== "removed");
    const median = name => medianOf(runs.map(run => run[name]));
    const point = {
      index: row.index,
      values,
      state: row.state,
      runs,
      asked: row.runs,
      succeeded: row.succeeded,
      placements: row.placements,
      id: runs.length === 1 ? runs[0].id : null,
      failure: bad ? {kind: bad.failure_kind, detail: failureDetail(bad)} : null,
      refused: Boolean(bad) && runs.every(run => run.id === null),
      cold: timesOf(row, "cold"),
      hot: timesOf(row, "hot"),
      /* null: it was interpreted, and has no time that could be unstable. */
      stable: [row.cold_median_us, row.hot_median_us].some(us => typeof us === "number") ? row.stable : null,
      verified: runs.every(run => run.verified === true),
      dtype: first.dtype,
      first,
      figure: name => name in row ? row[name] : median(name),
      predicted: median("predicted_us"),
      limiter: first.limiter ?? null,
      efficiency: {
        predicted: {load: row.predicted_gld_efficiency_pct, store: row.predicted_gst_efficiency_pct},
        counted: {load: row.measured_gld_efficiency_pct, store: row.measured_gst_efficiency_pct}
      }
    };
    for (const run of runs)
      if (run.id) this.places.set(run.id, (this.places.get(run.id) ?? new Set()).add(row.index));
    if (first.peak_gbps) this.peaks.add(first.peak_gbps);
    this.noticed(point);
    return point;
  }

  /* The highest bandwidth as the points are now: more runs of a point may lower its median. */
  bestOf(among = () => true) {
    return this.points.reduce((best, point) => point && among(point) ? Math.max(best, point.cold.gbps ?? 0) : best, 0);
  }

  /* The architecture that predictions are of, where it is not that of the device: it is not modelled. */
  get predictedAs() {
    const {predicted_arch: of, arch: own} = this.points.find(point => point?.first.predicted_arch)?.first ?? {};
    return of && own && of !== own ? of : null;
  }

  /* null where devices have different peaks. */
  get peak() {
    return this.peaks.size === 1 ? [...this.peaks][0] : null;
  }

  /* Notes which metrics and values the point has, so that the charts need not search all points. */
  noticed(point) {
    for (const metric of allMetrics())
      if (!this.has.has(metric.id) && (metric.value(point) !== null || metric.predicted(point) !== null))
        this.has.add(metric.id);
    if (
      typeof point.first.measured_gld_transactions === "number" ||
      typeof point.first.measured_gst_transactions === "number")
      this.has.add("counted");
    for (const unit of unitsOf(point)) this.units.add(unit);
    if (point.limiter) this.has.add("limiter");
    if (typeof point.first.measured_l1_hit_rate_pct === "number") this.has.add("l1");
    for (const name of this.names) (this.seenValues[name] ??= new Set()).add(point.values[name]);
  }

  axesFind() {
    this.axes = this.names.map(name => axisOf(name, [...this.seenValues[name]], this.factor && name === DEVICE));
  }

  get running() {
    return this.head.state === "running";
  }

  /* ---- live ---- */

  /* Reads all points again that had not ended: events may have been missed. */
  openAgain() {
    for (const point of this.points)
      if (point && !hasEnded(point.state)) this.dirty.add(point.index);
  }

  /* Points that may be others now although they have ended. */
  async readAgain(points) {
    for (const point of points) this.dirty.add(point.index);
    await this.update();
  }

  seen({event, data}) {
    if (!this.head) return;
    const ofThis = (event === "state" || event === "removal") && data.sweep === this.id;
    if (!this.running && !(ofThis && event === "removal")) return;
    if (event === "open" || event === "reset" || event === "snapshot" || event === "poll") return this.again();
    if (event === "sweep" && data.id === this.id) return this.again();
    if (!ofThis) return;
    /* State and result are read together. */
    for (const index of this.places.get(data.id) ?? []) this.dirty.add(index);
    this.catchUp();
  }

  /* Reads the changed points, in few requests. */
  async update() {
    if (this.updating || document.hidden) return;
    this.updating = true;
    const changed = [...this.dirty].sort((a, b) => a - b);
    this.dirty.clear();
    try {
      const head = await api.get(`${this.path}?view=summary&page_size=1`, {signal: this.signal});
      for (let i = 0; i < changed.length;) {
        let end = i;
        while (end + 1 < changed.length && changed[end + 1] - changed[end] < 32 && changed[end + 1] - changed[i] < PAGE)
          end++;
        await this.pageRead(changed[i], changed[end] - changed[i] + 1);
        i = end + 1;
      }
      this.head = head;
      this.changed();
    } catch (error) {
      for (const index of changed) this.dirty.add(index);
      throw error;
    } finally {
      this.updating = false;
    }
    if (this.dirty.size) return this.catchUp();
    /* The last points may have ended between the requests for the points and for the head. */
    if (!this.running && this.points.some(point => point && !hasEnded(point.state))) {
      this.openAgain();
      this.catchUp();
    }
  }
}
