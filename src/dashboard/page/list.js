// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The list of operations, running ones first, with a filter. */

/** At most this many are shown; the filter finds the others. */
const MOST_ROWS = 1_000;

class OperationList {
  node;
  #model;
  #list = el("ul", { class: "rows", "aria-label": "Operations", onkeydown: (event) => this.#moved(event) });
  #sum = el("p", { class: "sum", role: "status" });
  #empty = el("div", {});
  #emptyKind = "";
  #rows = new Map();
  #filter = el("input", {
    type: "search",
    placeholder: "Filter: words of command, tool, project, state …",
    "aria-label": "Filter operations",
    autocomplete: "off",
    oninput: () => this.update(),
  });
  #selected = "";

  constructor(model) {
    this.#model = model;
    this.node = el("section", { class: "list", "aria-label": "Operations" }, [
      el("div", { class: "tools" }, this.#filter),
      this.#sum,
      this.#empty,
      this.#list,
    ]);
  }

  /** `selected`: the key of the operation that is shown. */
  select(selected) {
    this.#selected = selected;
    for (const [key, row] of this.#rows) row.select(key === selected);
  }

  update() {
    const all = this.#model.sorted();
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = words.length === 0 ? all : all.filter((operation) => isFound(operation, words));
    const shown = found.slice(0, MOST_ROWS);
    this.#rows = keyed(this.#list, shown, ({ key }) => key, (operation) => {
      const row = new OperationRow(operation);
      row.select(operation.key === this.#selected);
      return row;
    });
    const running = all.filter(({ state }) => state === "running").length;
    const queued = all.filter(({ state }) => state === "queued").length;
    const sums = [`${running} running`, `${queued} queued`, `${all.length - running - queued} ended`];
    const more = found.length > shown.length ? `. The first ${MOST_ROWS} are shown: filter by more words` : "";
    const matching = words.length > 0 ? `${counted(found.length, "match", "matches")} of ` : "";
    setText(this.#sum, all.length === 0 ? "" : `${matching}${sums.join(" · ")}${more}`);
    this.#showEmpty(
      found.length > 0 ? "" : all.length > 0 ? "filter" : this.#model.servers.length > 0 ? "idle" : "none",
    );
  }

  /** Updates the ages. */
  tick() {
    for (const row of this.#rows.values()) row.tick();
  }

  #showEmpty(kind) {
    const known = this.#model.isKnown ? kind : "loading";
    if (known === this.#emptyKind) return;
    this.#emptyKind = known;
    const states = {
      loading: () => el("p", { class: "quiet pad" }, "Loading …"),
      filter: () => emptyState("No operation has all these words", "Remove a word from the filter."),
      idle: () => emptyState("Nothing has run yet", "Commands of your agents appear here as soon as they start."),
      none: () =>
        emptyState(
          "No server runs",
          "A server starts with its agent. If your client does not know ahma_mcp yet, add it:",
          "ahma_mcp init",
        ),
    };
    this.#empty.replaceChildren(...kind === "" && known !== "loading" ? [] : [states[known]()]);
  }

  #moved(event) {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    const other = step && event.target.closest("li")?.[step]?.querySelector("a");
    if (!other) return;
    event.preventDefault();
    other.focus();
  }
}

class OperationRow {
  node;
  item;
  #link;
  #icon = el("span", {});
  #title = el("span", { class: "title" });
  #age = el("span", { class: "age" });
  #about = el("span", { class: "about" });
  #use = el("span", { class: "use" });
  #told = "";

  constructor(operation) {
    this.#link = el("a", { class: "row", href: linkTo(operation) }, [
      this.#icon,
      this.#title,
      this.#age,
      el("span", { class: "more" }, this.#about, this.#use),
    ]);
    this.node = el("li", {}, this.#link);
  }

  select(isSelected) {
    setAttribute(this.#link, "aria-current", isSelected && "true");
  }

  update(operation) {
    const { state, tool, title, client, project, session, usage, denials } = operation;
    // Its usage changes often, its other facts seldom.
    const told = [state, tool, title, client, project, session].join("\n");
    if (told !== this.#told) {
      this.#told = told;
      this.#icon.replaceChildren(stateIcon(state));
      setAttribute(this.#link, "data-state", shapeOf(state));
      setText(this.#title, visible(title, 300) || visible(tool, 100));
      const shell = session && `shell ${visible(session, 60)}`;
      const words = [stateWord(state), visible(tool, 80), shell, visible(client, 60), projectName(project)];
      setText(this.#about, words.filter((word) => word).join(" · "));
    }
    const used = usage === undefined ? "" : `${bytes(usage.memoryBytes)} · ${duration(usage.processorMs)} CPU`;
    setText(this.#use, denials?.length > 0 ? `${counted(denials.length, "denial")}` : used);
    this.#use.classList.toggle("warn", denials?.length > 0);
    this.item = operation;
    this.tick();
  }

  tick() {
    setText(this.#age, isEnded(this.item) ? duration(this.item.elapsedMs) : age(elapsedOf(this.item)));
  }
}
