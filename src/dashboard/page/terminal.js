// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The terminal of an operation: its screen, and the keys a person types into it. */

const KEYS = {
  Enter: "\r",
  Backspace: "\x7f",
  Tab: "\t",
  ArrowUp: "\x1b[A",
  ArrowDown: "\x1b[B",
  ArrowRight: "\x1b[C",
  ArrowLeft: "\x1b[D",
  Home: "\x1b[H",
  End: "\x1b[F",
  Insert: "\x1b[2~",
  Delete: "\x1b[3~",
  PageUp: "\x1b[5~",
  PageDown: "\x1b[6~",
};
const FUNCTION_KEYS = ["OP", "OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~"];
/** Two Escape keys within this time leave the terminal, milliseconds. */
const TWICE_MS = 400;

/** The bytes of a special key; undefined: it is a character, which arrives as text. */
function keySequence(event, { applicationKeys = false } = {}) {
  const { key, ctrlKey = false, altKey = false, metaKey = false, shiftKey = false } = event;
  if (metaKey) return undefined;
  if (key === "Tab" && shiftKey) return "\x1b[Z";
  if (key === "Escape") return "\x1b";
  const letter = { ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D" }[key];
  if (letter !== undefined && (ctrlKey || altKey || shiftKey)) {
    return `\x1b[1;${1 + Number(shiftKey) + 2 * Number(altKey) + 4 * Number(ctrlKey)}${letter}`;
  }
  if (applicationKeys && /^(?:Arrow|Home|End)/.test(key)) return KEYS[key].replace("[", "O");
  if (Object.hasOwn(KEYS, key)) return (altKey ? "\x1b" : "") + KEYS[key];
  const [, number] = /^F(\d{1,2})$/.exec(key) ?? [];
  if (FUNCTION_KEYS[number - 1] !== undefined) return `\x1b${FUNCTION_KEYS[number - 1]}`;
  if (ctrlKey && !altKey && key === " ") return "\0";
  if (ctrlKey && !altKey && /^[a-z@[\\\]^_]$/i.test(key)) {
    return String.fromCharCode(key.toUpperCase().charCodeAt(0) & 0x1f);
  }
  return altKey && !ctrlKey && [...key].length === 1 ? `\x1b${key}` : undefined;
}

class TerminalPane {
  node;
  #screen = el("div", {
    class: "console screen",
    role: "region",
    "aria-label": "Screen of the terminal",
    tabindex: "0",
  });
  #rows = [];
  #texts = [];
  #input;
  #size = { columns: 80, rows: 24 };
  #escaped = 0;
  #modes;
  #keys = el("textarea", {
    class: "keys",
    tabindex: "-1",
    rows: "1",
    "aria-label": "Keys for the terminal. Control and right bracket leaves it",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    onkeydown: (event) => this.#pressed(event),
    oninput: (event) => event.isComposing || this.#typed(),
    oncompositionend: () => this.#typed(),
    onpaste: (event) => this.#pasted(event),
  });
  #start = button("Type into the terminal", () => this.#keys.focus(), { class: "primary" });
  #watching;

  /** `input`: an `InputLine`; undefined: nothing can be typed. */
  constructor(input) {
    this.#input = input;
    this.#screen.addEventListener("click", () => getSelection().isCollapsed && this.#keys.focus());
    const help = el("span", { class: "quiet" }, "Leave it with ", el("kbd", {}, "Ctrl"), "+", el("kbd", {}, "]"));
    help.append(", or ", el("kbd", {}, "Esc"), " twice. Tab goes to the program.");
    const tools = el("div", { class: "tools" }, this.#start, help);
    this.node = el("div", { class: "terminal" }, input !== undefined && [tools, this.#keys], this.#screen);
  }

  /** The size that fits; recalculated when the space changes. */
  measure() {
    const probe = el("span", { class: "probe" }, "0".repeat(100));
    this.#screen.append(probe);
    const { width, height } = probe.getBoundingClientRect();
    const room = this.#screen.clientWidth - 24;
    probe.remove();
    const columns = Math.min(200, Math.max(20, Math.floor(room / (width / 100 || 8))));
    this.#size = { columns, rows: Math.min(50, Math.max(10, Math.floor(innerHeight * 0.5 / (height || 18)))) };
    return this.#size;
  }

  /** Reports a new size to the program once the space has not changed for a moment. */
  watch() {
    let timer;
    this.#watching = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { columns, rows } = this.#size;
        const next = this.measure();
        if (next.columns !== columns || next.rows !== rows) void this.#input?.give({ action: "size", ...next });
      }, 300);
    });
    this.#watching.observe(this.#screen);
  }

  close() {
    this.#watching?.disconnect();
  }

  /** Draws the rows that changed. */
  show({ rows, modes, cursor: [column, row] = [-1, -1] }) {
    this.#modes = modes;
    while (this.#rows.length > rows.length) this.#rows.pop().remove();
    rows.forEach((runs, at) => {
      const text = JSON.stringify([runs, at === row && column]);
      if (this.#texts[at] === text && this.#rows[at] !== undefined) return;
      this.#texts[at] = text;
      this.#rows[at] ??= this.#screen.appendChild(el("div", { class: "line" }));
      const parts = (at === row ? withCursor(runs, column) : runs).map((run) => {
        const part = runElement({ text: run.text, style: run });
        part.classList.toggle("cursor", run.isCursor === true);
        return part;
      });
      this.#rows[at].replaceChildren(...parts);
    });
  }

  #pressed(event) {
    if (event.isComposing) return;
    const isBracket = event.key === "]" && event.ctrlKey;
    const isSecond = event.key === "Escape" && event.timeStamp - this.#escaped < TWICE_MS;
    if (event.key === "Escape") this.#escaped = event.timeStamp;
    // The browser's own copy and paste keep working.
    if (event.ctrlKey && event.shiftKey && /^[cv]$/i.test(event.key)) return;
    const sequence = keySequence(event, this.#modes);
    if (sequence === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (isBracket || isSecond) this.#start.focus();
    else this.#input.type(sequence);
  }

  /** Pasted text cannot contain the end mark of a paste. */
  #pasted(event) {
    event.preventDefault();
    const text = event.clipboardData.getData("text").replaceAll(/\r?\n/g, "\r").replaceAll("\x1b", "");
    this.#input.type(this.#modes?.markedPaste === true ? `\x1b[200~${text}\x1b[201~` : text);
  }

  /** Characters. */
  #typed() {
    const text = this.#keys.value;
    this.#keys.value = "";
    if (text !== "") this.#input.type(text.replaceAll(/\r?\n/g, "\r"));
  }
}

/** The runs with the character below the cursor as a run of its own. Wide characters before it count as one. */
function withCursor(runs, column) {
  const parts = [];
  let at = 0;
  for (const { text, ...style } of runs) {
    const characters = [...text];
    const place = column - at;
    at += characters.length;
    if (place < 0 || place >= characters.length) {
      parts.push({ ...style, text });
      continue;
    }
    parts.push({ ...style, text: characters.slice(0, place).join("") });
    parts.push({ ...style, text: characters[place], isCursor: true });
    parts.push({ ...style, text: characters.slice(place + 1).join("") });
  }
  if (column < at || column < 0) return parts;
  return [...parts, { text: " ".repeat(column - at) }, { text: " ", isCursor: true }];
}
