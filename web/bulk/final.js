/* Questions before something is removed, where the service deletes at once: finalSaid(question) adds to a question that
   nothing can be restored, if that is so; finalAsked() asks about the one that a page is of, and promises the answer.
 */
import {isFinal} from "../removals.js";
import {t} from "../words.js";
import {askFirst} from "./jobs.js";
import "./words.js";

export const finalSaid = question => isFinal() ? `${question}${t("punct.space")}${t("removals.final")}` : question;

export const finalAsked = () => askFirst({
  question: () => finalSaid(t("removals.ask")),
  yes: () => t("result.remove"),
  no: () => t("removals.keep"),
  from: "remove"
});
