/* What is in the editor, as the fragment of an address, which no server is told: JSON, deflated where the browser can,
   in base64 whose signs an address takes. addressPack(state) promises the fragment, addressUnpack(fragment) what was
   packed, null where there is none or it cannot be read. */

/* Longer addresses are cut off by programs that pass them on. */
export const ADDRESS_MOST = 16000;

const DEFLATED = "z.", PLAIN = "j.";

async function through(bytes, stream) {
  const pieces = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(pieces).arrayBuffer());
}

function letters(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const bytesOf = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), one => one.charCodeAt(0));

export async function addressPack(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  if (!globalThis.CompressionStream) return PLAIN + letters(bytes);
  return DEFLATED + letters(await through(bytes, new CompressionStream("deflate-raw")));
}

export async function addressUnpack(fragment) {
  const text = fragment.replace(/^#/, ""), kind = text.slice(0, 2);
  try {
    if (kind !== DEFLATED && kind !== PLAIN) return null;
    const bytes = bytesOf(text.slice(2)),
          plain = kind === PLAIN ? bytes : await through(bytes, new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder().decode(plain));
    return typeof state?.source === "string" ? state : null;
  } catch {
    return null;
  }
}
