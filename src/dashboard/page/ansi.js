// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Output of commands as lines of runs: colours are kept, everything else that a terminal obeys is left out. */

const SEQUENCE =
  // deno-lint-ignore no-control-regex -- what terminals obey
  /\x1b\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[\x20-\x2f]*[\x30-\x7e]|\r*\n|\r+|[^\x1b\r\n]+|\x1b/g;
/** An unfinished sequence, or a carriage return that a line feed may follow. */
// deno-lint-ignore no-control-regex -- what terminals obey
const BEGUN = /(?:\x1b(?:\[[\x20-\x3f]*|[\]PX^_][^\x07\x1b]*\x1b?|[\x20-\x2f]*)?|\r+)$/;
const LONGEST_SEQUENCE = 4_096;
/** The most characters kept of a line. */
const LONGEST_LINE = 4_000;
const PLAIN_STYLE = Object.freeze({});

class AnsiLines {
  #rest = "";
  #style = PLAIN_STYLE;
  #line = emptyLine();

  /** The line that has not ended. */
  get line() {
    return this.#line;
  }

  /** Reads text in order; returns finished lines. A line has `runs`, its `text`, how much is `cut`, and `rewritten`. */
  write(text) {
    const whole = this.#rest + text;
    const begun = BEGUN.exec(whole.slice(-LONGEST_SEQUENCE));
    this.#rest = begun?.[0] ?? "";
    const ended = [];
    for (const [token, parameters, letter] of whole.slice(0, whole.length - this.#rest.length).matchAll(SEQUENCE)) {
      if (token.endsWith("\n")) {
        ended.push(this.#line);
        this.#line = emptyLine();
      } else if (token[0] === "\r") this.#line.returned = true;
      else if (letter === "m") this.#style = nextStyle(this.#style, parameters);
      else if (token[0] !== "\x1b") this.#add(token);
    }
    return ended;
  }

  #add(text) {
    if (this.#line.returned) this.#line = { ...emptyLine(), rewritten: true };
    const line = this.#line;
    const kept = text.slice(0, Math.max(0, LONGEST_LINE - line.text.length));
    line.cut += text.length - kept.length;
    line.changed = true;
    if (kept === "") return;
    line.text += kept;
    const last = line.runs.at(-1);
    if (last?.style === this.#style) last.text += kept;
    else line.runs.push({ text: kept, style: this.#style });
  }
}

function emptyLine() {
  return { runs: [], text: "", cut: 0, rewritten: false, returned: false, changed: true };
}

const SWITCHED_ON = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse" };
const SWITCHED_OFF = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  39: ["fg"],
  49: ["bg"],
};

/** The style after a sequence of SGR. */
function nextStyle(style, parameters) {
  const codes = parameters.split(/[;:]/).map(Number);
  const next = { ...style };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === 0) Object.keys(next).forEach((name) => delete next[name]);
    else if (SWITCHED_ON[code] !== undefined) next[SWITCHED_ON[code]] = true;
    else if (SWITCHED_OFF[code] !== undefined) SWITCHED_OFF[code].forEach((name) => delete next[name]);
    else if (code === 38 || code === 48) at += takeColour(next, code === 38 ? "fg" : "bg", codes.slice(at + 1, at + 5));
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
  }
  return next;
}

/** Returns the number of codes consumed. */
function takeColour(style, name, [kind, ...values]) {
  const isByte = (value) => Number.isInteger(value) && value >= 0 && value <= 255;
  if (kind === 5 && isByte(values[0])) style[name] = values[0];
  else if (kind === 2 && values.length === 3 && values.every(isByte)) style[name] = hex(values);
  return kind === 5 ? 2 : kind === 2 ? 4 : 0;
}

function hex(values) {
  return `#${values.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** A colour for CSS: a number of the palette, or `#rrggbb`; undefined: not a colour. */
function colourOf(colour) {
  if (typeof colour === "string") return /^#[\da-f]{6}$/i.test(colour) ? colour : undefined;
  if (!Number.isInteger(colour) || colour < 0 || colour > 255) return undefined;
  if (colour < 16) return `var(--c${colour})`;
  if (colour > 231) return hex(Array(3).fill(8 + 10 * (colour - 232)));
  const index = colour - 16;
  return hex([CUBE[Math.floor(index / 36)], CUBE[Math.floor(index / 6) % 6], CUBE[index % 6]]);
}

/** A run as an element, with invisible characters shown. */
function runElement({ text, style }) {
  const looks = ["bold", "dim", "italic", "underline"].filter((name) => style[name] === true).join(" ");
  const shown = pieces(text).map((piece, at) =>
    at % 2 === 0 ? piece : el("span", { class: "sign" }, shapeOfUnseen(piece))
  );
  const [front, back] = shades(style);
  const span = el("span", { class: looks === "" ? undefined : looks }, shown);
  if (front !== undefined) span.style.setProperty("color", front);
  if (back !== undefined) span.style.setProperty("background-color", back);
  return span;
}

/** Colours of text and background, with enough contrast whatever a command asks for; undefined: the default. */
function shades(style) {
  const [fg, bg] = [colourOf(style.fg), colourOf(style.bg)];
  const light = (colour) => `oklch(from ${colour} max(l, 0.8) c h)`;
  const dark = (colour) => `oklch(from ${colour} min(l, 0.34) c h)`;
  if (style.inverse === true) return [dark(bg ?? "var(--console)"), light(fg ?? "var(--console-ink)")];
  if (bg !== undefined) return [light(fg ?? "var(--console-ink)"), dark(bg)];
  return [fg && `oklch(from ${fg} max(l, 0.68) c h)`, undefined];
}
