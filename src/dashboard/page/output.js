// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The last lines of an operation's output, with search; they follow the output until the reader scrolls up. */

const MOST_LINES = 5_000;
const MOST_CHARACTERS = 1024 * 1024;
/** Time for output in one frame, milliseconds, so that the page stays responsive. */
const FRAME_MS = 8;
const PART = 16 * 1024;

class OutputPane {
  node;
  #box;
  #lines = el("div", { class: "lines" });
  #note = el("p", { class: "note", hidden: true });
  #shown = [];
  #characters = 0;
  #leftOut = 0;
  #last;
  #decoder = new TextDecoder();
  #ansi = new AnsiLines();
  #waiting = [];
  #waitingSize = 0;
  #isDrawing = false;
  #isFollowing = true;
  #follow = el("input", {
    type: "checkbox",
    checked: true,
    onchange: () => this.#setFollowing({ isFollowing: this.#follow.checked }),
  });
  #search = el("input", {
    type: "search",
    placeholder: "Search output",
    "aria-label": "Search output",
    autocomplete: "off",
    oninput: () => this.#find(),
    onkeydown: (event) => event.key === "Enter" && this.#step(event.shiftKey ? -1 : 1),
  });
  #count = el("span", { class: "quiet", role: "status" });
  #hits = [];
  #at = -1;

  constructor() {
    this.#box = el(
      "div",
      { class: "console", tabindex: "0", role: "region", "aria-label": "Output", onscroll: () => this.#scrolled() },
      this.#note,
      this.#lines,
    );
    const wrap = el("input", { type: "checkbox", checked: true });
    wrap.addEventListener("change", () => this.#box.classList.toggle("long", !wrap.checked));
    const tools = el("div", { class: "tools" }, [
      this.#search,
      button("↑", () => this.#step(-1), { "aria-label": "Match before" }),
      button("↓", () => this.#step(1), { "aria-label": "Next match" }),
      this.#count,
      el("label", { class: "end" }, this.#follow, "Follow"),
      el("label", {}, wrap, "Wrap"),
    ]);
    this.node = el("div", { class: "output" }, tools, this.#box);
  }

  /** Reads bytes of the command. Bytes that would not be kept are dropped at once. */
  write(data) {
    const text = this.#decoder.decode(data, { stream: true });
    for (let at = 0; at < text.length; at += PART) this.#waiting.push(text.slice(at, at + PART));
    this.#waitingSize += text.length;
    while (this.#waitingSize > MOST_CHARACTERS) {
      const dropped = this.#waiting.shift();
      this.#waitingSize -= dropped.length;
      this.leftOut(dropped.length);
    }
    this.#draw();
  }

  /** Says how much is not shown. */
  leftOut(count) {
    this.#leftOut += count;
    if (this.#leftOut === 0) return;
    this.#note.hidden = false;
    setText(this.#note, `${bytes(this.#leftOut)} before this are not shown: ahma_mcp logs has what is kept`);
  }

  #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      const until = performance.now() + FRAME_MS;
      while (this.#waiting.length > 0 && performance.now() < until) {
        const text = this.#waiting.shift();
        this.#waitingSize -= text.length;
        for (const line of this.#ansi.write(text)) this.#end(line);
      }
      this.#trim();
      this.#showEnded();
      this.#showLast();
      if (this.#isFollowing) this.#box.scrollTop = this.#box.scrollHeight;
      if (this.#waiting.length > 0) this.#draw();
    });
  }

  /** Its element is made with the next frame, unless the line is dropped by then. */
  #end(line) {
    const shown = this.#last ?? { node: undefined };
    this.#last = undefined;
    Object.assign(shown, { line, text: line.text, isHit: false });
    this.#characters += line.text.length + 1;
    this.#shown.push(shown);
  }

  #showEnded() {
    const first = this.#shown.findLastIndex(({ line }) => line === undefined) + 1;
    const added = this.#shown.slice(first);
    for (const shown of added) {
      fillLine(shown, shown.line);
      shown.line = undefined;
    }
    this.#lines.append(...added.map(({ node }) => node).filter(({ isConnected }) => !isConnected));
    if (this.#search.value !== "") { for (const shown of added) this.#mark(shown); }
  }

  #showLast() {
    const { line } = this.#ansi;
    if (line.text === "" && this.#last === undefined || !line.changed) return;
    this.#last ??= { node: undefined };
    fillLine(this.#last, line);
    if (!this.#last.node.isConnected) this.#lines.append(this.#last.node);
  }

  #trim() {
    let count = 0;
    while (this.#shown.length - count > MOST_LINES || this.#characters > MOST_CHARACTERS) {
      const { node, text } = this.#shown[count++];
      node?.remove();
      this.#characters -= text.length + 1;
      this.#leftOut += text.length + 1;
    }
    if (count === 0) return;
    this.#shown.splice(0, count);
    this.leftOut(0);
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - 24;
    if (isAtEnd !== this.#isFollowing) this.#setFollowing({ isFollowing: isAtEnd });
  }

  #setFollowing({ isFollowing }) {
    this.#isFollowing = isFollowing;
    this.#follow.checked = isFollowing;
    if (isFollowing) this.#box.scrollTop = this.#box.scrollHeight;
  }

  #find() {
    this.#hits = [];
    this.#at = -1;
    for (const shown of this.#shown) this.#mark(shown);
    this.#tellCount();
  }

  #mark(shown) {
    const wanted = this.#search.value.toLowerCase();
    const isHit = wanted !== "" && shown.text.toLowerCase().includes(wanted);
    if (isHit) this.#hits.push(shown);
    if (isHit || shown.isHit) shown.node.classList.toggle("hit", isHit);
    shown.isHit = isHit;
    if (isHit) this.#tellCount();
  }

  #step(by) {
    this.#hits = this.#hits.filter(({ node }) => node.isConnected);
    if (this.#hits.length === 0) return;
    this.#setFollowing({ isFollowing: false });
    this.#hits[this.#at]?.node.classList.remove("current");
    this.#at = (this.#at + by + this.#hits.length + (this.#at < 0 && by < 0 ? 1 : 0)) % this.#hits.length;
    const { node } = this.#hits[this.#at];
    node.classList.add("current");
    node.scrollIntoView({ block: "center" });
    this.#tellCount();
  }

  #tellCount() {
    const { length } = this.#hits;
    const found = this.#at < 0 ? counted(length, "line") : `${this.#at + 1} of ${length}`;
    setText(this.#count, this.#search.value === "" ? "" : found);
  }
}

function fillLine(shown, line) {
  shown.node ??= el("div", { class: "line" });
  line.changed = false;
  const parts = line.runs.map(runElement);
  if (line.rewritten) parts.unshift(el("span", { class: "sign" }, "↺ "));
  if (line.cut > 0) parts.push(el("span", { class: "sign" }, ` … ${counted(line.cut, "more character")}`));
  shown.node.replaceChildren(...parts);
}
