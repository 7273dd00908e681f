/* The question before something is removed. removalQuestion(question) adds that nothing can be restored if the service
   deletes at once; removalAsked() asks before the experiment or sweep of the page is removed, and promises the answer.
 */
import {deletesAtOnce} from "../removals.js";
import {t} from "../words.js";
import {askFirst} from "./jobs.js";
import "./words.js";

export const removalQuestion = question =>
  deletesAtOnce() ? `${question}${t("punct.space")}${t("removals.no_undo")}` : question;

export const removalAsked = () => askFirst({
  question: () => removalQuestion(t("removals.ask")),
  yes: () => t("result.remove"),
  no: () => t("removals.keep"),
  from: "remove"
});
