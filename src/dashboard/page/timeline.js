// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The last hour as a picture: a bar for each operation, in lanes below its project. */

const HOUR_MS = 3_600_000;
const LANE = 26;
const MOST_BARS = 400;
const REDRAWN_MS = 5_000;

/** The layout: groups with a `name`, a `top` and `bars` of `x` and `width` (0 to 1), `lane` and operation. */
function timelineLayout(operations, now, least = 0.004) {
  const groups = new Map();
  let top = 0;
  const recent = operations.filter((one) => one.began + endOf(one, now) > now - HOUR_MS).slice(0, MOST_BARS);
  for (const operation of recent) {
    const name = operation.project ?? "";
    groups.set(name, [...groups.get(name) ?? [], operation]);
  }
  const placed = [...groups].map(([name, members]) => {
    const ends = [];
    const bars = members.toSorted((one, other) => one.began - other.began).map((operation) => {
      const from = Math.max(0, (operation.began - now) / HOUR_MS + 1);
      const to = Math.min(1, (operation.began + endOf(operation, now) - now) / HOUR_MS + 1);
      const width = Math.max(least, to - from);
      const x = Math.min(from, 1 - width);
      const free = ends.findIndex((end) => end <= x);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = x + width;
      return { operation, x, width, lane };
    });
    const group = { name, top, bars, lanes: ends.length };
    top += ends.length + 1;
    return group;
  });
  return { groups: placed, lanes: top };
}

function endOf(operation, now) {
  return isEnded(operation) ? operation.elapsedMs : now - operation.began;
}

function timelineView(model) {
  const node = el("section", { class: "page", "aria-labelledby": "timeline" });
  const holder = el("div", {
    class: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": "Picture of the last hour",
  });
  const legend = el(
    "ul",
    { class: "legend", "aria-label": "States" },
    Object.keys(ICONS).map((state) => el("li", {}, stateIcon(state), stateWord(state))),
  );
  node.append(heading("timeline", "The last hour"), legend, holder);
  let drawn = 0;
  const drawNow = () => {
    const focused = holder.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const isFirst = holder.querySelector(".timeline") === null;
    holder.replaceChildren(timelinePicture(model, holder.clientWidth || 900));
    // The newest are at the right.
    if (isFirst) holder.scrollLeft = holder.scrollWidth;
    drawn = performance.now();
    if (focused) holder.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  };
  const resized = new ResizeObserver(() => drawn > 0 && drawNow());
  let shown = "";
  const update = () => {
    const states = [...model.operations.values()].map(({ key, state }) => `${key} ${state}`).join("\n");
    if (states === shown && performance.now() - drawn < REDRAWN_MS) return;
    shown = states;
    drawNow();
  };
  resized.observe(node);
  return { node, update, tick: update, close: () => resized.disconnect() };
}

function timelinePicture(model, room) {
  const now = Date.now();
  const width = Math.max(room, 640);
  const { groups, lanes } = timelineLayout(model.sorted(), now, 18 / width);
  if (groups.length === 0) {
    return emptyState("Nothing ran in the last hour", "Bars appear here when your agents run commands.");
  }
  const height = lanes * LANE + 40;
  const label = `Operations of the last hour, ${counted(groups.flatMap(({ bars }) => bars).length, "bar")}`;
  const picture = draw("svg", {
    class: "timeline",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": label,
  });
  for (let minute = 60; minute >= 0; minute -= 10) {
    const x = width - 8 - minute / 60 * (width - 16);
    picture.append(draw("line", { class: "tick", x1: x, x2: x, y1: 22, y2: height }));
    const anchor = minute === 60 ? "start" : minute === 0 ? "end" : "middle";
    picture.append(
      draw("text", { class: "hour", x, y: 14, "text-anchor": anchor }, clock(now - minute * 60_000).slice(0, 5)),
    );
  }
  for (const { name, top, bars } of groups) {
    const y = 30 + top * LANE;
    picture.append(draw("text", { class: "group", x: 8, y: y + 16 }, projectName(name) || "no project"));
    for (const bar of bars) picture.append(barLink(bar, { y: y + (bar.lane + 1) * LANE, width: width - 16 }));
  }
  return picture;
}

function barLink({ operation, x, width }, place) {
  const { state, title, tool } = operation;
  const [left, long] = [8 + x * place.width, width * place.width];
  const words = visible(title, 200) || visible(tool, 80);
  const label = `${stateWord(state)}: ${words}, ${age(elapsedOf(operation))}`;
  const fits = Math.floor((long - 22) / 7);
  const shape = shapeOf(state);
  return draw("a", { href: linkTo(operation), "aria-label": label, class: `bar ${shape}` }, [
    draw("title", {}, label),
    draw("rect", { x: left, y: place.y + 2, width: long, height: LANE - 5, rx: 4 }),
    draw("path", {
      class: "mark",
      d: ICONS[shape],
      transform: `translate(${left + 2.500} ${place.y + 5}) scale(0.900)`,
    }),
    fits > 3 &&
    draw("text", { x: left + 20, y: place.y + 17 }, words.length > fits ? `${words.slice(0, fits - 1)}…` : words),
  ]);
}
