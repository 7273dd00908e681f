// An ordinary client against types that were generated from api/openapi.yaml: what it does must compile in strict mode,
// and what it must not do must not (@ts-expect-error). The test also runs it; its argument is the service's address.
import type { components, operations } from "./openapi";

type Schemas = components["schemas"];
type Experiment = Schemas["Experiment"];
type SweepPage = operations["submitSweep"]["responses"][200]["content"]["application/json"];

const base: string = process.argv[2];

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { Prefer: "wait=30" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(new URL(path, base), { method, headers, body: JSON.stringify(body) });
    if (!response.ok) {
        const problem = (await response.json()) as Schemas["Problem"];
        throw new Error(problem.errors?.map((e) => `${e.pointer} ${e.detail}`).join("; ") ?? problem.detail);
    }
    return (await response.json()) as T;
}

function describe(experiment: Experiment): string {
    // @ts-expect-error: only one that has ended holds times
    void experiment.timing;
    switch (experiment.state) {
        case "queued":
        case "running":
            return `waits, ${experiment.position} before it, at ${experiment.links.self}`;
        case "failed":
            return `failed: ${experiment.failure.kind}, ${experiment.failure.detail}`;
        case "cancelled":
            return "cancelled";
        case "succeeded":
            return figures(experiment);
        default: {
            const never: never = experiment;
            return never;
        }
    }
}

function figures(result: Schemas["Result"]): string {
    const { timing, bandwidth, counters, correctness, occupancy, prediction, stability } = result;
    // @ts-expect-error: it may say why there are no times
    void timing.hot;
    if (!("hot" in timing)) return `no times: ${timing.reason}`;
    if (!("median_us" in timing.hot)) return `no hot times: ${timing.hot.reason}`;
    const median: number | null = timing.hot.median_us;
    const [low, high] = timing.hot.ci95_us;
    const lines: string[] = [`${median} us, ${low} to ${high}`];
    // @ts-expect-error: nothing that was interpreted has a bandwidth
    void bandwidth.hot;
    if (!("hot" in bandwidth)) return `no bandwidth: ${bandwidth.reason}`;
    if ("effective_gbps" in bandwidth.hot) lines.push(`${bandwidth.hot.effective_gbps} GB/s of ${bandwidth.peak_gbps}`);
    if (bandwidth.sector_bytes && "source" in bandwidth.sector_bytes) lines.push(`${bandwidth.sector_bytes.load} bytes in sectors`);
    if (counters.status === "measured") lines.push(`${counters.gld_transactions} sectors in ${counters.passes} passes`);
    else lines.push(`not counted: ${counters.status}, ${counters.reason}`);
    if ("verified" in correctness) lines.push(`verified: ${correctness.verified}, ${correctness.first_mismatch?.index ?? "no mismatch"}`);
    if (occupancy && "theoretical" in occupancy) lines.push(`occupancy ${occupancy.theoretical * 100} %`);
    if (prediction && "gld_sectors" in prediction) lines.push(`${prediction.gld_sectors} sectors predicted`);
    if (stability.live?.status === "measured") lines.push(`took ${stability.live.took_us} us to read`);
    return lines.join("\n");
}

async function main(): Promise<void> {
    const request: Schemas["Request"] = { kernel: "read_offset", size: 1024, block: [128], offset: 11, labels: { from: "client.ts" } };
    // @ts-expect-error: a number is wanted
    const wrong: Schemas["Request"] = { kernel: "read_offset", offset: "11" };
    void wrong;
    const one = await ask<Experiment>("POST", "/v1/experiments", request);
    const offset = one.request.offset as number | undefined; // of a kernel of one's own a member may be anything
    const [threads]: number[] = one.request.block;
    console.log(one.id, offset, threads, describe(one));

    const axes: Schemas["SweepRequest"] = { kernel: "read_offset", size: [1024, 4096], offset: [0, 11], block: [[64, 1, 1], [128, 1, 1]] };
    const recipe: Schemas["SweepRequest"] = { recipe: "aos_soa", size: 4096, grid: 32 };
    // @ts-expect-error: a kernel or a recipe is wanted
    const neither: Schemas["SweepRequest"] = { size: 4096 };
    void neither;
    for (const sweep of [axes, recipe]) {
        const page = await ask<SweepPage>("POST", "/v1/sweeps", sweep);
        console.log(page.state, page.done, "of", page.total, page.submitted_at, page.links.csv);
        // @ts-expect-error: a summary's points hold no result
        void page.points[0]?.result;
        if (page.view !== "runs") throw new Error("a sweep that is not repeated is shown by its runs");
        for (const point of page.points) {
            const timing = point.result?.timing;
            const hot = timing && "hot" in timing && "median_us" in timing.hot ? timing.hot.median_us : null;
            console.log(point.index, JSON.stringify(point.values), hot, point.failure?.errors?.[0].pointer, point.published?.off);
        }
    }

    const predictions = await ask<operations["predict"]["responses"][200]["content"]["application/json"]>(
        "POST", "/v1/predictions", { kernel: "copy", arch: ["sm_90"] } satisfies Schemas["Question"]);
    for (const prediction of predictions.predictions)
        console.log(prediction.arch, "reason" in prediction ? prediction.reason : prediction.gld_efficiency_pct);

    const device = await ask<Schemas["Device"]>("GET", "/v1/devices/0");
    const live = device.live;
    console.log(device.max_block, live?.status === "measured" ? live.temperature_c : live?.reason);
    const kernel = await ask<Schemas["Kernel"]>("GET", "/v1/kernels/copy");
    console.log(kernel.defaults.block, kernel.parameters.map((p) => [p.name, p.default]));
}

main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
});
