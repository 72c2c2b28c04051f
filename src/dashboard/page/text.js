// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Untrusted texts, and numbers, as a person reads them. Pure. */

/** Characters that are invisible or reorder others, as in src/base/visible_text.ts; `split` keeps them. */
const UNSEEN =
  // deno-lint-ignore no-control-regex -- what must not be shown
  /([\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}])/u;

/** The parts of a text: every second one is an invisible character. */
function pieces(text) {
  return text.split(UNSEEN);
}

/** How such a character is shown. */
function shapeOfUnseen(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "\u2421" : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** An untrusted text on one line with every character visible; longer texts are cut. */
function visible(text, longest = 2_000) {
  const start = String(text ?? "").slice(0, longest).toWellFormed().replaceAll(/\s+/g, " ");
  const shown = pieces(start).map((piece, at) => at % 2 === 1 ? shapeOfUnseen(piece) : piece).join("");
  return String(text ?? "").length > longest ? `${shown}…` : shown;
}

function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : `${seconds} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (hours === 0) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** A duration that still grows, in whole seconds. */
function age(ms) {
  return ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms);
}

function bytes(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(0)} KiB`;
  return count < 1024 ** 3 ? `${(count / 1024 ** 2).toFixed(1)} MiB` : `${(count / 1024 ** 3).toFixed(2)} GiB`;
}

function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function clock(ms) {
  return new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

/** The last part of a path, as the name of a project. */
function projectName(path) {
  return visible(path?.split("/").findLast((part) => part !== "") ?? path ?? "");
}

function stateWord(state) {
  return visible(state).replaceAll("_", " ");
}
