// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Elements: made from text only, and updated only where something changed. */

/** Makes an element with attributes, listeners (`onclick`) and children; undefined ones are left out. */
function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false));
  return element;
}

/** False and undefined remove the attribute; true sets it to the empty text. */
function setAttribute(element, name, value) {
  const text = value === true ? "" : value === false || value === undefined ? null : String(value);
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes the children of `parent` match `items`, in order. `make(item)` returns a view with `node` and `update(item)`.
 * Views are kept by key, so that the focused element keeps the focus.
 */
function keyed(parent, items, key, make) {
  const views = parent.keyedViews ??= new Map();
  const wanted = new Map(items.map((item) => [key(item), item]));
  for (const [name, view] of views) {
    if (wanted.has(name)) continue;
    view.node.remove();
    views.delete(name);
  }
  let next = parent.firstChild;
  for (const [name, item] of wanted) {
    let view = views.get(name);
    if (view === undefined) views.set(name, view = make(item));
    if (view.item !== item) view.update(item);
    view.item = item;
    // An item moved down: all others keep their places.
    if (next !== null && next !== view.node && next.nextSibling === view.node) {
      const passed = next;
      next = view.node;
      place(parent, passed, null);
    }
    if (next === view.node) next = next.nextSibling;
    else place(parent, view.node, next);
  }
  return views;
}

function place(parent, node, next) {
  if (node.isConnected && parent.moveBefore !== undefined) return parent.moveBefore(node, next);
  const focused = node.contains(document.activeElement) ? document.activeElement : undefined;
  parent.insertBefore(node, next);
  focused?.focus();
}

function button(label, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, label);
}

/** Announces a text once to screen readers. */
function announce(text) {
  setText(document.getElementById("announce"), text);
}

const ICONS = {
  running: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
  queued:
    "M8 2.5v2M8 11.500v2M2.500 8h2M11.500 8h2M4.100 4.100l1.400 1.400M10.500 10.500l1.400 1.400M4.100 11.900l1.400-1.400M10.500 5.500l1.400-1.400",
  completed: "M3 8.500l3.500 3.500L13 4.500",
  failed: "M4 4l8 8M12 4l-8 8",
  cancelled: "M8 2.500a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11zM4.200 4.200l7.600 7.600",
  timed_out: "M8 2.500a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11zM8 5v3.200l2.200 1.600",
};

/** The symbol of a state, next to its word. */
function stateIcon(state) {
  const path = draw("path", { d: ICONS[state] ?? ICONS.queued });
  return draw("svg", { class: `icon ${shapeOf(state)}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
}

/** A state that this page does not know looks like a queued one. */
function shapeOf(state) {
  return Object.hasOwn(ICONS, state) ? state : "queued";
}

/**
 * A button that asks for confirmation in its place. `act` returns what was done, or throws an error for the person. It
 * is called once, and its result stays in the group.
 */
function confirmed({ label, question, yes, no, act }) {
  const first = button(label, () => first.ariaDisabled === "true" || show({ isAsked: true }), { class: "danger" });
  const said = el("span", { class: "said", role: "status" });
  const refuse = button(no, () => show({ isAsked: false }));
  const accept = button(yes, async () => {
    show({ isAsked: false });
    setAttribute(first, "aria-disabled", "true");
    setText(said, "…");
    const problem = await act().then((done) => setText(said, done), (thrown) => thrown);
    setAttribute(first, "aria-disabled", undefined);
    if (problem !== undefined) setText(said, problem.message);
  }, { class: "danger solid" });
  const asked = el("span", { class: "asked", role: "group", "aria-label": question, hidden: true }, [
    el("span", {}, question),
    accept,
    refuse,
  ]);
  function show({ isAsked }) {
    asked.hidden = !isAsked;
    first.hidden = isAsked;
    (isAsked ? refuse : first).focus();
  }
  asked.addEventListener("keydown", (event) => event.key === "Escape" && show({ isAsked: false }));
  return el("span", { class: "confirmed" }, first, asked, said);
}

/** The text of an empty view: why it is empty, and what to type. */
function emptyState(title, text, command) {
  const lines = [el("p", { class: "empty-title" }, title), el("p", {}, text)];
  return el("div", { class: "empty" }, lines, command !== undefined && el("pre", {}, el("code", {}, command)));
}

/** A table that scrolls within itself if it is wide. Cells are texts or elements. */
function table(caption, titles, rows) {
  const numeric = (cell) => typeof cell === "number" || /^[\d.,]+(?: \D{1,4})?$/.test(cell);
  const cells = (row) => row.map((cell) => el("td", { class: numeric(cell) ? "number" : undefined }, cell));
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, [
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, titles.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, cells(row)))),
    ]),
  );
}
