/* A sweep of a kernel that a user brought: editorOf(head, signal) promises the address of the editor with that kernel
   and with the launch of the first point that ran. Rejected: the kernel is somebody else's, or no point ran. Loaded
   when it is asked for. */
import {get} from "../api.js";
import {editorLink} from "../result/outputs.js";

export async function editorOf({request: {kernel}, points}, signal) {
  const first = points.map(point => point.id ?? point.runs?.ids[0]).find(Boolean);
  const [source, {request}] =
    await Promise.all([get(`/v1/kernels/${kernel}`, {signal}), get(`/v1/experiments/${first}`, {signal})]);
  return editorLink(source, request);
}
