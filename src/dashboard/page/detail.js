// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** One operation: what it is, its live output or terminal, what it was denied, and what it changed. */

class OperationDetail {
  node;
  key;
  #operation;
  #server;
  #closed = new AbortController();
  #heading = el("h2", { class: "command", tabindex: "-1" });
  #facts = el("dl", { class: "facts" });
  #actions = el("div", { class: "actions" });
  #denials = el("div", {});
  #notice = el("p", { class: "notice", role: "status", hidden: true });
  #stage = el("div", { class: "stage" });
  #pane;
  #asLines = false;
  #isGone = false;
  #pause = FIRST_PAUSE_MS;
  #retry;
  /** The facts that decide which elements exist; other changes affect only texts. */
  #shape = "";
  /** The facts that decide which actions exist: a question that one of them asks stays until they change. */
  #offered = "";

  constructor(key) {
    this.key = key;
    const back = el("a", { class: "back", href: "#operations" }, "← All operations");
    const head = el("div", { class: "head" }, this.#heading, this.#actions);
    const parts = [back, head, this.#facts, this.#notice, this.#denials, this.#stage];
    this.node = el("section", { class: "detail", "aria-label": "Operation" }, parts);
  }

  focus() {
    this.#heading.focus();
  }

  /** `operation` undefined: its server is gone or no longer lists it; the last known state stays. */
  update(operation, server) {
    if (operation === undefined) return this.#gone();
    const isSame = this.#operation === operation && this.#server === server;
    [this.#operation, this.#server] = [operation, server];
    if (isSame) return;
    if (this.#isGone) this.#tell("");
    this.#isGone = false;
    setText(this.#heading, visible(operation.title) || visible(operation.tool));
    keyed(this.#facts, this.#factRows(), ([name]) => name, (row) => new Fact(row));
    const { state, input, terminal, denials = [] } = operation;
    const shape = JSON.stringify([state, input, terminal, server?.undo, denials]);
    if (shape === this.#shape) return;
    const isFirst = this.#shape === "";
    const takesOther = !isFirst && JSON.parse(this.#shape)[1] !== input && input !== undefined;
    this.#shape = shape;
    this.#showActions();
    this.#denials.replaceChildren(...denials.length === 0 ? [] : [deniedList(denials)]);
    if (isFirst || takesOther) this.#open();
  }

  tick() {
    if (this.#operation === undefined || isEnded(this.#operation)) return;
    keyed(this.#facts, this.#factRows(), ([name]) => name, (row) => new Fact(row));
  }

  close() {
    clearTimeout(this.#retry);
    this.#closed.abort();
    this.#pane?.close?.();
  }

  #gone() {
    if (this.#isGone) return;
    this.#isGone = true;
    // There is nothing to reconnect to.
    clearTimeout(this.#retry);
    if (this.#operation === undefined) {
      setText(this.#heading, "Not found");
      return this.#tell(
        "No server lists this operation: it ended long ago, or its server did. ahma_mcp audit has more.",
      );
    }
    this.#tell("Its server has ended, or no longer lists it. This is the last known state.");
    this.#offered = "";
    this.#actions.replaceChildren();
  }

  #tell(text) {
    setText(this.#notice, text);
    this.#notice.hidden = text === "";
  }

  #factRows() {
    const { state, tool, client, project, session, usage, network, created, ended, id } = this.#operation;
    const isOver = isEnded(this.#operation);
    return [
      ["State", stateWord(state), shapeOf(state)],
      [
        state === "queued" ? "Waits for" : "Time",
        isOver ? duration(elapsedOf(this.#operation)) : age(elapsedOf(this.#operation)),
      ],
      ["Called", created === undefined ? undefined : clock(created)],
      ["Tool", visible(tool)],
      ["Client", visible(client)],
      ["Project", visible(project)],
      ["Named shell", visible(session)],
      ["Memory", usage && `${bytes(usage.memoryBytes)} in ${counted(usage.processes, "process", "processes")}`],
      ["Processor", usage && duration(usage.processorMs)],
      ["Network", network && networkText(network)],
      ["Id", visible(id)],
      ["End", visible(ended)],
    ].filter(([, value]) => value);
  }

  #showActions() {
    const { server, id, terminal } = this.#operation;
    const isOver = isEnded(this.#operation);
    const offered = JSON.stringify([isOver, this.#server?.undo, terminal, this.#asLines]);
    if (offered === this.#offered) return;
    this.#offered = offered;
    const asked = { server, operation: id };
    const cancel = !isOver && confirmed({
      label: "Cancel",
      question: "End it and all its processes?",
      yes: "End it",
      no: "Keep it",
      act: () => act({ action: "kill", ...asked }),
    });
    const changes = this.#server?.undo === true && isOver &&
      button("Changes and undo", () => this.#showChanges());
    const lines = terminal === true &&
      button(this.#asLines ? "Show the screen" : "Show as lines", () => this.#toggle());
    const shown = [lines, changes, cancel].filter((one) => one !== false);
    this.#keepFocus(() => this.#actions.replaceChildren(...shown));
  }

  /** If the focused element is removed, the heading gets the focus. */
  #keepFocus(change) {
    const had = this.node.contains(document.activeElement);
    change();
    if (had && !this.node.contains(document.activeElement)) this.focus();
  }

  #toggle() {
    this.#asLines = !this.#asLines;
    this.#showActions();
    this.#actions.querySelector("button").focus();
    this.#open();
  }

  #showChanges() {
    this.node.querySelector(".changes")?.remove();
    const { server, id } = this.#operation;
    const changes = changesOf(server, id);
    this.#stage.before(changes);
    changes.focus();
  }

  /** Begins to read its output, from the start of what is stored. */
  #open() {
    this.close();
    this.#closed = new AbortController();
    const { signal } = this.#closed;
    const { server, id, input, terminal, state } = this.#operation;
    const isScreen = terminal === true && !this.#asLines;
    const line = input === undefined || isEnded({ state }) ? undefined : new InputLine((text) => this.#tell(text));
    const pane = isScreen ? new TerminalPane(line) : new OutputPane();
    this.#pane = pane;
    const form = !isScreen && line !== undefined && inputForm(line, terminal === true);
    this.#stage.replaceChildren(pane.node, ...form ? [form] : []);
    const query = new URLSearchParams({ server, operation: id, ...isScreen && pane.measure() });
    if (isScreen) pane.watch();
    let isOver = false;
    const onEvent = (event) => {
      if (event.event === "end" || event.event === "refused") isOver = true;
      if (!signal.aborted) this.#take(event, pane, line);
    };
    void readEvents(`/api/output?${query}`, signal, onEvent).catch(() => {}).then(() => {
      if (!signal.aborted && !isOver && !this.#isGone) this.#readLater();
    });
  }

  /** The connection was lost. The stored output is sent again from the start. */
  #readLater() {
    this.#tell(`Connection lost: the output stops here. Next attempt in ${duration(this.#pause)}`);
    this.#retry = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS);
  }

  #take(event, pane, line) {
    switch (event.event) {
      case "stream":
        line?.open(event.stream);
        this.#pause = FIRST_PAUSE_MS;
        this.#tell("");
        break;
      case "earlier":
        if (event.leftOut > 0) pane.leftOut?.(event.leftOut);
        pane.write?.(bytesOf(event.data));
        break;
      case "output":
        pane.write?.(bytesOf(event.data));
        break;
      case "gap":
        pane.leftOut?.(event.bytes);
        break;
      case "screen":
        pane.show?.(event);
        break;
      case "end":
        this.#keepFocus(() =>
          this.#stage.querySelectorAll("form, .terminal .tools, .keys").forEach((part) => part.remove())
        );
        announce(`It has ended: ${visible(event.line, 200)}`);
        break;
      default:
        if (event.problem ?? event.reason) this.#tell(visible(event.problem ?? event.reason));
    }
  }
}

class Fact {
  node;
  #value = el("dd", {});

  constructor([name]) {
    this.node = el(
      "div",
      { class: `fact ${name === "End" || name === "Project" ? "wide" : ""}` },
      el("dt", {}, name),
      this.#value,
    );
  }

  update([, value, state]) {
    if (this.#value.textContent === value) return;
    this.#value.replaceChildren(...state === undefined ? [value] : [stateIcon(state), value]);
  }
}

/** Sends input line by line, for programs that read from a pipe. */
function inputForm(line, isTerminal) {
  const text = el("input", {
    type: "text",
    "aria-label": "A line of input",
    placeholder: "A line of input",
    autocomplete: "off",
  });
  const submit = (event) => {
    event.preventDefault();
    line.type(`${text.value}${isTerminal ? "\r" : "\n"}`);
    text.value = "";
  };
  const end = !isTerminal && button("End of input", () => line.give({ action: "end_input" }));
  return el("form", { class: "input-line", onsubmit: submit }, text, el("button", { class: "primary" }, "Send"), end);
}

function networkText({ bytesIn, bytesOut, refusals }) {
  const refused = refusals > 0 ? `, ${refusals} refused` : "";
  return `${bytes(bytesIn)} in, ${bytes(bytesOut)} out${refused}`;
}

/** Any of these flags is enough. */
function flagList(flags) {
  return flags.flatMap((flag, at) => [...at > 0 ? [" or "] : [], el("code", {}, visible(flag))]);
}

/** What the sandbox denied to it, with the flag that would allow it. */
function deniedList(denials) {
  const items = denials.map(({ text, flags = [] }) =>
    el("li", {}, [
      el("span", {}, visible(text)),
      flags.length > 0
        ? el("span", { class: "way" }, "Start the server with ", ...flagList(flags))
        : el("span", { class: "way" }, "No flag allows it"),
    ])
  );
  return el("div", { class: "denials" }, el("h3", {}, "Denied by the sandbox"), el("ul", {}, items));
}
