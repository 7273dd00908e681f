/* Beside the form of /ui/new: the time that the model predicts for it, its bounds, and what one change would bring.

   predictedPanel({ask}): ask(question) posts to /v1/predictions and rejects with the service's answer. show(question,
   product) asks for the device of that name where its constants are known, else for the one whose are shipped; which of
   the two is the reader's choice. */
import {h} from "../dom.js";
import {timePanel} from "../charts/bounds.js";
import {changesList} from "../result/why.js";
import {t} from "../words.js";
import "./words.js";

const SHIPPED = "NVIDIA H200", PAUSE_MS = 100;

export function predictedPanel({ask}) {
  const panel = timePanel(), unknown = new Set();
  let time = null, chosen = null, latest = 0, last = null;

  function draw(request, names) {
    const choice = names.length > 1 &&
      h("select", {
                    "aria-label": t("time.choose"),
                    data: {key: "device", of: time.device_name},
                    value: time.device_name,
                    onchange: ({target}) => {
                      chosen = target.value;
                      show(...last);
                    }
                   },
        names.map(name => h("option", {value: name}, name)));
    const below = !time.status && time.what_if?.length > 0 && changesList(time, request);
    panel.show(time, {device: time.device_name ?? names[0], choice, below});
  }

  /* The answer to what was typed last is shown, and no other. */
  async function show(question, product) {
    last = [question, product];
    const mine = ++latest, names = () => [...new Set([product, SHIPPED])].filter(name => name && !unknown.has(name)),
          name = names().includes(chosen) ? chosen : names()[0];
    if (!name) return;
    const {device, ...request} = question;
    try {
      const {predictions: [made]} = await ask({...request, device_name: name});
      if (mine !== latest) return;
      time = made.time ?? {status: "unavailable", reason: made.reason ?? ""};
      draw(request, names());
    } catch (error) {
      if (!error.errors?.some(one => one.pointer === "#/device_name")) return; /* the form tells what is wrong */
      unknown.add(name);
      if (mine === latest) await show(question, product);
    }
  }
  /* The drawing of what is typed goes first. */
  let later = null;
  return {
    node: panel.node,
    show(...asked) {
      clearTimeout(later);
      later = setTimeout(show, PAUSE_MS, ...asked);
    }
  };
}
