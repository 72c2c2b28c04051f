/** The page: its views, the address that selects one, and the events that fill them. */

const VIEWS = {
  operations: "Operations",
  timeline: "Timeline",
  permissions: "Permissions",
  servers: "Servers",
  totals: "Totals",
};

class Page {
  #model = new Model();
  #questions = new Questions();
  #links = new Map();
  #connection = document.getElementById("connection");
  #main = document.getElementById("main");
  #view;
  #name = "";
  #isWaiting = false;
  #closed = new AbortController();

  start() {
    shown.host = HostApp.find();
    takeToken();
    const nav = document.getElementById("nav");
    for (const [name, label] of Object.entries(VIEWS)) {
      const count = el("span", { class: "count" });
      const link = el("a", { href: `#${name}` }, label, " ", count);
      this.#links.set(name, { link, count });
      nav.append(link);
    }
    document.getElementById("skip").addEventListener("click", () => this.#main.focus());
    addEventListener("hashchange", () => takeToken() ? this.#connect() : this.#route({ byPerson: true }));
    setInterval(() => this.#view?.tick(), 1_000);
    this.#route({ byPerson: false });
    this.#connect();
  }

  /** Collects changes until the next frame, which shows them together. */
  changed() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      this.#questions.update(this.#model);
      this.#view?.update();
      this.#countAll();
    });
  }

  #connect() {
    this.#closed.abort();
    this.#closed = new AbortController();
    const { signal } = this.#closed;
    if (this.#name === "locked") this.#route({ byPerson: false });
    const onEvent = (event) => {
      this.#model.take(event);
      this.#tellConnection("on", "Connected");
      this.changed();
    };
    const onLost = (seconds, retry) =>
      this.#tellConnection("off", `Connection lost, next attempt in ${seconds} s`, button("Try now", retry));
    keepReading("/api/events", { signal, onEvent, onLost }).catch((thrown) => this.#lock(thrown));
  }

  #tellConnection(kind, text, more) {
    if (this.#connection.className === kind && kind === "on") return;
    this.#connection.className = kind;
    this.#connection.replaceChildren(el("span", { role: "status" }, text), ...more === undefined ? [] : [more]);
  }

  #lock({ message }) {
    this.#tellConnection("off", "Not connected");
    this.#show("locked", {
      node: el("section", { class: "page" }, [
        heading("locked", "This page needs a token"),
        emptyState(
          message,
          "The address that ahma_mcp prints contains a token, valid in one tab while the program runs. Start it again and open its address:",
          "ahma_mcp dashboard",
        ),
      ]),
      update() {},
      tick() {},
      close() {},
    });
  }

  #route({ byPerson }) {
    const [name, server, id] = location.hash.slice(1).split("/");
    const key = name === "op" && id !== undefined ? `${decoded(server)}/${decoded(id)}` : undefined;
    const view = key !== undefined || !Object.hasOwn(VIEWS, name) ? "operations" : name;
    if (view !== this.#name || view === "operations") this.#open(view);
    if (view === "operations") this.#view.select(key, byPerson);
    else if (byPerson) this.#main.querySelector("h2")?.focus();
    for (const [other, { link }] of this.#links) setAttribute(link, "aria-current", other === view && "page");
    this.changed();
  }

  #open(name) {
    if (name === this.#name) return;
    const views = {
      operations: (model) => new OperationsView(model),
      timeline: timelineView,
      permissions: permissionsView,
      servers: serversView,
      totals: totalsView,
    };
    this.#show(name, views[name](this.#model));
  }

  #show(name, view) {
    this.#view?.close();
    [this.#name, this.#view] = [name, view];
    this.#main.replaceChildren(view.node);
  }

  #countAll() {
    const running = [...this.#model.operations.values()].filter(({ state }) => state === "running").length;
    const open = this.#model.questions().length;
    const counts = { operations: running, permissions: open, servers: this.#model.servers.length };
    for (const [name, { count }] of this.#links) setText(count, counts[name] ? `${counts[name]}` : "");
    const title = `${open > 0 ? `(${open}) ` : ""}${running} running – ahma_mcp`;
    if (document.title !== title) document.title = title;
  }
}

/** The list, and next to it the operation that the address names. */
class OperationsView {
  node;
  #model;
  #list;
  #detail;
  #none = el(
    "div",
    { class: "detail none" },
    emptyState("Choose an operation", "Its live output, resource usage and denials are shown here."),
  );

  constructor(model) {
    this.#model = model;
    this.#list = new OperationList(model);
    this.node = el("div", { class: "operations" }, this.#list.node, this.#none);
  }

  /** `key` undefined: no operation is shown. */
  select(key, byPerson) {
    const before = this.#detail?.key;
    if (before !== key) {
      this.#detail?.close();
      this.#detail = key === undefined ? undefined : new OperationDetail(key);
      this.node.lastChild.replaceWith(this.#detail?.node ?? this.#none);
    }
    this.node.classList.toggle("opened", key !== undefined);
    this.#list.select(key);
    this.update();
    if (byPerson && this.#detail !== undefined) this.#detail.focus();
    else if (byPerson && before !== undefined) {
      this.#list.node.querySelector(`a[href="${CSS.escape(hrefOf(before))}"]`)?.focus();
    }
  }

  update() {
    this.#list.update();
    if (this.#detail === undefined || !this.#model.isKnown) return;
    const operation = this.#model.operations.get(this.#detail.key);
    this.#detail.update(operation, operation && this.#model.server(operation.server));
  }

  tick() {
    this.#list.tick();
    this.#detail?.tick();
  }

  close() {
    this.#detail?.close();
  }
}

function hrefOf(key) {
  const at = key.lastIndexOf("/");
  return linkTo({ server: key.slice(0, at), id: key.slice(at + 1) });
}

/** Decodes a part of the address; an invalid encoding stays unchanged. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (thrown) {
    if (thrown instanceof URIError) return text;
    throw thrown;
  }
}

new Page().start();
