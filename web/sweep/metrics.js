/* What of a point can be drawn: METRICS [{id, unit, value(point), range(point) or null, predicted(point),
   published(point), digits, zero}]. metricsOf(sweep) are those that some point has a value of. All values are as they
   are written: GB/s, µs, per cent. */
import {count, digits, percent} from "../format.js";

const number = value => typeof value === "number" && Number.isFinite(value) ? value : null;
const times = (kind, of) => ({
  value: point => number(of(point[kind])),
  range: point => {
    const {median, low, high} = point[kind], value = number(of(point[kind]));
    return value === null || !(number(low) > 0) || number(high) === null || !median ?
      null :
      [value * median / high, value * median / low];
  },
});
const share = (point, number_of) => number_of(point.efficiency);
const written = value => digits(value);
const sum = (...values) =>
  values.some(value => number(value) !== null) ? values.reduce((all, value) => all + (number(value) ?? 0), 0) : null;
const none = () => null;

/* Published figures of other sizes say nothing of counts and times: `published_off` names them by column. */
function publishedOf(point, column) {
  const value = number(point.first[column]);
  if (value === null) return null;
  const off = point.first.published_off ? JSON.parse(point.first.published_off) : {};
  return column.replace("published_", "") in off ? null : value;
}

export const METRICS = [
  {
    id: "cold_gbps",
    unit: "GB/s",
    ...times("cold", one => one.gbps),
    predicted: ({cold, predicted}) => cold.gbps && predicted ? cold.gbps * cold.median / predicted : null
  },
  {id: "hot_gbps", unit: "GB/s", ...times("hot", one => one.gbps)},
  {
    id: "cold_us",
    unit: "µs",
    less: true,
    value: point => number(point.cold.median),
    range: point => number(point.cold.low) === null ? null : [point.cold.low, point.cold.high],
    predicted: point => number(point.predicted)
  },
  {
    id: "hot_us",
    unit: "µs",
    less: true,
    value: point => number(point.hot.median),
    range: point => number(point.hot.low) === null ? null : [point.hot.low, point.hot.high]
  },
  {id: "of_peak", unit: "%", ...times("cold", one => one.ofPeak === null ? null : one.ofPeak * 100)},
  {id: "ns_operation", unit: "ns", less: true, value: point => number(point.ns)},
  {id: "gops", unit: "Gop/s", value: point => number(point.gops)},
  {
    id: "load_efficiency",
    unit: "%",
    value: point => share(point, all => number(all.counted.load)),
    predicted: point => share(point, all => number(all.predicted.load)),
    published: point => publishedOf(point, "published_gld_efficiency_pct")
  },
  {
    id: "store_efficiency",
    unit: "%",
    value: point => share(point, all => number(all.counted.store)),
    predicted: point => share(point, all => number(all.predicted.store)),
    published: point => publishedOf(point, "published_gst_efficiency_pct")
  },
  {
    id: "sectors",
    unit: "",
    less: true,
    whole: true,
    value: ({first}) => sum(first.measured_gld_transactions, first.measured_gst_transactions),
    predicted: ({first}) => sum(first.predicted_gld_transactions, first.predicted_gst_transactions)
  },
  {
    id: "dram",
    unit: "MB",
    less: true,
    value: ({first}) => {
      const all = sum(first.measured_dram_read_bytes, first.measured_dram_write_bytes);
      return all === null ? null : all / 1e6;
    }
  },
].map(metric => ({
        range: none,
        predicted: none,
        published: none,
        less: false,
        ...metric,
        write: metric.whole   ? count :
          metric.unit === "%" ? value => percent(value / 100, 1).replace(/\u00a0%$/, "") :
                                written
      }));

export const metricOf = id => METRICS.find(metric => metric.id === id);

export const metricsOf = sweep => METRICS.filter(metric => sweep.has.has(metric.id));

/* "3254 GB/s" */
export const withUnit = (metric, value) =>
  metric.unit ? `${metric.write(value)}\u00a0${metric.unit}` : metric.write(value);
