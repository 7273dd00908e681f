/* Copying a text: by a button of one's own, or by that of a text that is shown. */
import {h} from "./dom.js";
import {t} from "./words.js";

/* The clipboard is there on secure origins alone; elsewhere what is selected is copied. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", {class: "unseen", value: text});
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

/* text() is what it copies. */
export function copyButton(text, words = t("copy"), kind = "plain note") {
  const button =
    h("button", {
      type: "button",
      class: kind,
      onclick: async () => {
        await copyText(text());
        button.textContent = t("copy.done");
        setTimeout(() => {
          button.textContent = words;
        }, 1500);
      }
    },
      words);
  return button;
}
