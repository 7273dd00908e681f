/* /ui/recipes/{name}: a published table beside one's own device, and one button to run it here. */
import "../recipe/words.js";
import {events, get, link, post, ApiError} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count, moment} from "../format.js";
import {atMost, forRunners, heldNote} from "../live.js";
import {LESSONS, TABLES} from "../lessons/list.js";
import {button} from "../parts.js";
import {newestSweep, pointsJoined, pointsPredicted, pointsRead, recipeTold, timesOf} from "../recipe/data.js";
import {conditionsOf, countPanels, differsNotes, notesPanel, reasonsPanel, timePanel} from "../recipe/tables.js";
import {language, t} from "../words.js";
import "../creation/words.js";

const REDRAW_MS = 500;

/* The lesson that explains what is measured. */
function whyLink(name) {
  const table = TABLES.find(one => one.recipe === name),
        at = LESSONS.findIndex(one => table ? one.name === table.lesson : one.recipe === name);
  return at >= 0 &&
    h("p", {}, h("a", {href: link(`lessons/${LESSONS[at].name}`)}, t("lessons.why_there", {n: at + 1})));
}

export const title = ({name}) => t("recipes.title_of", {name});

export async function open(root, {name}, {query, setQuery, announce, signal}) {
  const missing = error => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  };
  const [found, {devices}, {columns}] = await Promise.all([
    get(`/v1/recipes/${encodeURIComponent(name)}`, {signal}).catch(missing), get("/v1/devices", {signal}),
    get("/v1/columns", {signal})
  ]);
  if (!found) {
    replace(
      root, h("h1", {class: "heading"}, t("recipes.missing")),
      h("p", {}, h("a", {href: link("recipes")}, t("recipes.all"))));
    return null;
  }
  const recipe = recipeTold(found), device = devices[0], arch = /^sm_/.test(device?.arch ?? "") ? device.arch : "sm_90",
        deviceName = devices.length > 1 ? t("choice.device.") : device?.name ?? t("device.unknown");
  const status = h("p", {class: "note", role: "status"}), differ = h("div", {}), tables = h("div", {class: "stack"}),
        notes = h("div", {});
  /* What is chosen stays in the address: a reload and another language keep it. */
  const repeat = h("input", {
    id: "recipe-repeat",
    type: "number",
    min: 1,
    max: 1000,
    value: query.get("rounds") ?? "1",
    class: "repeat",
    oninput: () => setQuery({rounds: repeat.value === "1" ? null : repeat.value})
  });
  const none = devices.length > 0 && devices.every(one => one.counters === false) ?
    t("counts.no_device", {device: device.name}) :
    null;
  const counters = h("input", {
    id: "recipe-counters",
    type: "checkbox",
    checked: !none && query.get("counters") !== "false",
    disabled: Boolean(none),
    onchange: () => setQuery({counters: counters.checked ? null : "false"}),
    "aria-describedby": none && "recipe-uncounted"
  });
  /* The sizes that the table's figures are of; a figure of another size than is run has its mark. */
  const sizes = [...new Set([recipe.sweep.size, ...Object.values(recipe.published?.sizes ?? {})])];
  const size =
    h("select", {
      id: "recipe-size",
      hidden: sizes.length < 2,
      onchange: () => setQuery({elements: size.selectedIndex > 0 ? size.value : null})
    },
      sizes.map(
        one =>
          h("option", {value: JSON.stringify(one), selected: JSON.stringify(one) === query.get("elements")},
            Array.isArray(one) ? one.join(" x ") : count(one))));
  /* The same in a terminal. */
  const typed = h("pre", {class: "typed-line"});
  const typedDraw = () => {
    const elements = size.selectedIndex > 0 && JSON.parse(size.value);
    typed.textContent = [
      `coalesce recipe ${name}`, elements && `size=${[elements].flat().join("x")}`,
      Number(repeat.value) > 1 && `repeat=${repeat.value}`, counters.checked && "counters=on"
    ].filter(Boolean).join(" ");
  };
  for (const one of [repeat, size, counters]) one.addEventListener("input", typedDraw);
  typedDraw();
  const run = forRunners(button(t("recipes.run", {device: deviceName}), submit, {primary: true, key: "run"}), signal);
  const {published} = recipe,
        beside = Object.fromEntries(columns.map(one => [one.name.replace("published_", ""), one.beside]));
  const about = published ? t("recipes.published_for", {
    device: published.device.name,
    arch: published.device.arch ?? t("recipes.no_arch"),
    conditions: conditionsOf(recipe)
  }) :
                            t("recipes.unpublished");
  replace(root, h("div", {class: "head"}, h("div", {}, h("h1", {class: "heading"}, recipe.title), h("p", {class: "lead"}, recipe.text), h("p", {class: "note"}, about)),
    h("div", {class: "row recipe-run"}, h("span", {class: "field"}, h("label", {for: "recipe-repeat"}, t("recipes.repeat")), repeat),
    sizes.length > 1 && h("span", {class: "field"}, h("label", {for: "recipe-size"}, t("recipes.size")), size),
    h("label", {for: "recipe-counters", class: "quiet"}, counters, t("recipes.counters")), run)),
  device && heldNote(device.index, signal), none && h("p", {id: "recipe-uncounted", class: "note"}, none), status, differ, tables,
  h("div", {class: "stack"}, notes, typed, whyLink(name)));

    let end = null, drawn = null;
    const predicted = pointsPredicted(name, arch, signal);
    predicted.catch(() => {}); /* an error is shown where the promise is awaited */
    const times = new Map();
    const ranOn = points => points.find(point => point.row?.device_name)?.row;
    const draw = ({table, points}) => {
      const shown = {recipe, table, points, beside}, name = ranOn(points)?.device_name ?? deviceName;
      drawn = shown;
      redraw(tables, timePanel(shown, name), reasonsPanel(shown, times), countPanels(shown, name, arch));
      redraw(differ, differsNotes(points));
      redraw(notes, notesPanel(shown));
    };

    async function submit() {
      const rounds = Number(repeat.value);
      if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000) {
        repeat.focus();
        throw new Error(t("recipes.rounds_wrong"));
      }
      const sweep = await post(
        "/v1/sweeps", {
          recipe: name,
          ...(size.selectedIndex > 0 && {size: JSON.parse(size.value)}),
          ...(counters.checked && {counters: true}),
          ...(rounds > 1 && {repeat: rounds})
        },
        {signal});
      setQuery({sweep: sweep.id});
      follow(sweep.id);
    }

    function follow(id) {
      end?.();
      let reading = false, again = false, over = false;
      const read = async () => {
        if (over) return;
        if (reading) {
          again = true;
          return;
        }
        reading = true;
        const [{sweep, table, points}, all] =
          await Promise.all([pointsRead(id, signal), predicted.catch(() => ({points: []}))]);
        reading = false;
        draw({table, points: pointsJoined(recipe, points, all.points)});
        statusShow(sweep, points);
        over = sweep.state !== "running";
        if (over)
          end?.();
        else if (again) {
          again = false;
          look();
        }
      };
      const look = atMost(REDRAW_MS, () => read().catch(error => {
        reading = false;
        if (!signal.aborted) replace(status, h("span", {class: "wrong"}, error.message));
      }));
      end = events(`/v1/sweeps/${id}/events`, {signal, onEvent: look});
      look();
    }

    function statusShow(sweep, points) {
      const own = h("a", {href: link(`sweeps/${sweep.id}`)}, t("recipes.its_sweep"));
      const ran = ranOn(points);
      const text = sweep.state === "running" ?
        t("recipes.running", {done: count(sweep.done), total: count(sweep.total)}) :
        t("recipes.ended", {
          device: ran?.device_name ?? deviceName,
          when: moment(sweep.finished_at ?? sweep.submitted_at, language()),
          n: count(sweep.succeeded),
          of: count(sweep.total)
        });
      replace(status, text, " ", ran?.arch && !ran.arch.startsWith("sm_") ? [t("recipes.a_cpu"), " "] : null, own);
      announce(text);
    }

    timesOf(recipe, signal)
      .then(found => {
        found.forEach((time, key) => times.set(key, time));
        if (drawn) draw(drawn);
      })
      .catch(error => {
        if (!signal.aborted) console.error(error);
      });
    const known = query.get("sweep") ?? await newestSweep(name, signal);
    if (known)
      follow(known);
    else {
      replace(status, t("recipes.never"));
      const all = await predicted;
      if (!end) draw(all);
    }
    return () => end?.();
}
