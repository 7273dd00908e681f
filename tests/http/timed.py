"""A predicted time as an answer has it, for pages and commands that show one: TIME; PLANT makes a page find it in each answer.

The numbers are made up, but of the right order; that those of the service are right is not for these tests."""
import json

_BOUNDS = [("launch", 131072, "blocks", 1683.5), ("dram", 805306368, "bytes", 4416000.0), ("ask", 16777216, "flits", 143900.0), ("tag", 39719, "lines an SM", 1980.0),
           ("lines", 31775, "lines an SM", 333.3), ("issue", 476625, "instructions an SM", 7920.0), ("latency", 248.2, "waits in a row", 1.0256)]
TIME = {
    "device_name": "NVIDIA H200", "calibration": "shipped", "code_arch": "sm_90", "predicted_us": 248.3, "limiter": "latency", "close_second": None, "floor_us": 2.1, "ramp_us": 1.4,
    "bounds": [{"name": name, "amount": amount, "unit": unit, "ceiling": ceiling, "ceiling_unit": f"{unit}/us", "us": amount / ceiling} for name, amount, unit, ceiling in _BOUNDS],
    "dram_read_bytes": 536870912, "dram_write_bytes": 268435456, "l1_hit_pct": 19.9, "blocks_per_sm": 4, "warps_per_sm": 64, "achieved_occupancy": 0.78, "rounds": 248.2, "waits": 1,
    "latency_ns": 974, "in_flight_bytes": 16400, "needed_bytes": 21900,
    "explanation": {"en": "Limited by the latency of memory: each multiprocessor keeps 16.4 kB in flight; 21.9 kB would be needed at the 974 ns that a load takes under this load: 75 % of the bandwidth.",
                    "zh": "瓶颈是访存延迟：每个 SM 平均只有 16.4 kB 在途，而在此负载下一次读取需 974 ns，要有 21.9 kB 在途才能占满带宽：目前只达到 75 %。"},
    "what_if": [{"change": {"block": 256}, "predicted_us": 231.4, "ratio": 0.932, "text": {"en": "block 256 instead of 512: 231 us, 93 % of 248 us; then the latency of memory limits.", "zh": "block 由 512 改为 256：预计 231 us，为 248 us 的 93 %；此时瓶颈是访存延迟。"}},
                {"change": {"load": "cg"}, "predicted_us": 236.9, "ratio": 0.954, "text": {"en": "load cg instead of default: 237 us, 95 % of 248 us; then the latency of memory limits.", "zh": "load 由 default 改为 cg：预计 237 us，为 248 us 的 95 %；此时瓶颈是访存延迟。"}}],
    "check": {"kernel": "copy", "size": 4096, "block": [128, 256]},
}
MEASURED = {**TIME, "measured_us": 247.5, "error_pct": 0.32,
            "counted": {"limiter": "latency", "agrees": True, "launch_pct": 31.0, "dram_pct": 66.1, "issue_pct": 12.0, "l2_pct": None, "l1_pct": None, "occupancy_pct": 71.1,
                        "why": {"en": "DRAM is busy for 66 % of the time and no unit above 70 %.", "zh": "显存忙碌时间占 66 %，没有单元超过 70 %。"}}}
MISSING = {"status": "unavailable", "reason": "launches side by side share a device"}

CALIBRATION = {"device": 0, "device_name": "cpu", "state": "made", "reason": None, "automatic": True, "sweep": "01M7YM65F54TJADP7Z58JCT8G6", "failure": None,
               "calibration": {"name": "NVIDIA H200", "arch": "sm_90", "driver": "580.1", "build": "42ada34", "made_at": "2026-01-20T12:00:00.000Z", "experiments": 48, "constants": [
                   {"name": "launch_ns", "value": 0.594, "unit": "ns", "spread": 0.002, "fitted": True, "text": "Between the starts of two blocks", "measured": "vector_add, blocks of 32"},
                   {"name": "dram_latency_ns", "value": 336, "unit": "ns", "spread": None, "fitted": False, "text": "Of a load", "measured": "pointer_chase, cold"}]}}

PLANT = """
(() => {
  const ask = window.fetch, [made, measured, calibration] = %s;
  window.fetch = async (...asked) => {
    if (asked[1]?.body?.includes("device_name")) asked[1].body = JSON.stringify({...JSON.parse(asked[1].body), device_name: undefined, arch: "sm_90"});
    const path = new URL(asked[0].url ?? asked[0], location.href).pathname;
    if (/calibration$/.test(path)) return new Response(JSON.stringify(calibration), {status: 200, headers: {"Content-Type": "application/json"}});
    const reply = await ask(...asked);
    if (reply.ok && /csv/.test(reply.headers.get("Content-Type"))) {
      const [head, ...rows] = (await reply.text()).split("\\r\\n"), [us, limiter] = ["predicted_us", "limiter"].map(name => head.split(",").indexOf(name));
      return new Response([head, ...rows.map(row => row && us >= 0 ? row.split(",").map((cell, k) => k === us ? made.predicted_us : k === limiter ? made.limiter : cell).join(",") : row)].join("\\r\\n"), {headers: reply.headers});
    }
    if (!reply.ok || !/predictions$|(experiments|devices)\\/\\w+$/.test(path) || !/json/.test(reply.headers.get("Content-Type"))) return reply;
    const answer = await reply.json();
    if (answer.state === "succeeded") answer.time = measured;
    if (answer.backend) answer.backend = "cuda";
    for (const one of answer.predictions ?? []) one.time = made;
    return new Response(JSON.stringify(answer), {status: reply.status, headers: reply.headers});
  };
})();
"""


def plant(browser, made=TIME, measured=MEASURED):
    """From the next page on; what it returns takes it out again."""
    source = PLANT % json.dumps([made, measured, CALIBRATION])
    planted = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]
    return lambda: browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": planted})
