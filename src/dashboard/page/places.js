// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Servers with their named shells and third-party servers; totals of projects, and of the network from audit logs. */

function serversView(model) {
  const node = el("section", { class: "page", "aria-labelledby": "servers" });
  const list = el("ul", { class: "cards wide" });
  const empty = el("div", {});
  node.append(heading("servers", "Servers"), empty, list);
  const update = () => {
    const none = model.isKnown && model.servers.length === 0;
    replaceOnce(
      empty,
      none ? "none" : "",
      () =>
        emptyState(
          "No server runs",
          "A server starts with its agent. To try one without an agent:",
          "ahma_mcp call sandboxed_shell command='echo hello'",
        ),
    );
    keyed(list, model.servers, ({ key }) => key, () => new ServerCard());
  };
  return { node, update, tick() {}, close() {} };
}

class ServerCard {
  node = el("li", {});

  update({ key, pid, version, mode, scopes, auditLog, undo, sandbox, operations, sessions, behind = [] }) {
    const running = operations.filter(({ state }) => state === "running").length;
    const facts = [
      ["Scope", scopes.map((scope) => visible(scope)).join(", ")],
      ["Sandbox", sandbox?.split("\n").map((line) => visible(line)).join(" · ")],
      ["Audit log", auditLog === undefined ? "none: start it with --audit-log FILE" : visible(auditLog)],
      ["Changes", undo === true ? "kept for undo" : "not kept: start it with --undo"],
    ].filter(([, value]) => value);
    const about = `process ${pid} · ${mode === "http" ? "HTTP" : "stdio"} · version ${
      visible(version)
    } · ${running} running`;
    replaceOnce(this.node, JSON.stringify([facts, about, sessions, behind]), () =>
      [
        el("h3", {}, projectName(scopes[0]) || `Process ${pid}`),
        el("p", { class: "quiet" }, about),
        el(
          "dl",
          { class: "facts" },
          facts.map(([name, value]) => el("div", { class: "fact wide" }, el("dt", {}, name), el("dd", {}, value))),
        ),
        sessions.length > 0 && el("h4", {}, "Sessions and named shells"),
        sessions.length > 0 && el("ul", { class: "plain" }, sessions.map((session) => shellLine(key, session))),
        behind.length > 0 && el("h4", {}, "Servers behind it"),
        behind.length > 0 && el("ul", { class: "plain" }, behind.map((line) => el("li", {}, behindText(line)))),
      ].filter((part) => part !== false));
  }
}

function shellLine(server, { name, directory, operation }) {
  const runs = operation === undefined
    ? " · idle"
    : [" · runs ", el("a", { href: linkTo({ server, id: operation }) }, visible(operation))];
  return el("li", {}, el("strong", {}, visible(name)), ` in ${visible(directory)}`, runs);
}

function behindText(behind) {
  if (typeof behind === "string") return visible(behind);
  const { name, state, pin } = behind;
  return [visible(name), visible(state), pin && `pinned ${visible(pin)}`].filter((part) => part).join(" · ");
}

function totalsView(model) {
  const node = el("section", { class: "page", "aria-labelledby": "totals" });
  const projects = el("div", {});
  const past = el("div", {}, el("p", { class: "quiet" }, "Loading …"));
  const since = el(
    "select",
    { id: "since", onchange: () => load() },
    [
      ["1h", "last hour"],
      ["24h", "last day"],
      ["7d", "last 7 days"],
      ["30d", "last 30 days"],
    ].map(([value, label]) => el("option", { value, selected: value === "24h" }, label)),
  );
  const again = button("Read again", () => load());
  const tools = el("div", { class: "tools" }, el("label", { for: "since" }, "From audit logs of the"), since, again);
  node.append(
    heading("totals", "Totals"),
    projects,
    el("h3", {}, "What ran"),
    tools,
    past,
  );
  const load = async () => {
    const parts = await askJson(`/api/history?since=${since.value}`).then(historyParts, ({ message }) => [
      emptyState("No history", message, "ahma_mcp --audit-log ~/ahma-audit.jsonl"),
    ]);
    past.replaceChildren(...parts);
  };
  void load();
  const update = () => {
    const rows = projectRows(model);
    replaceOnce(
      projects,
      JSON.stringify(rows),
      () =>
        rows.length === 0 ? el("p", { class: "quiet" }, "No server runs.") : table("Projects now", [
          "Project",
          "Servers",
          "Running",
          "Queued",
          "Ended",
          "Failed",
          "Denials",
          "Time",
          "Memory",
        ], rows),
    );
  };
  return { node, update, tick() {}, close() {} };
}

/** A row for each scope that servers have. */
function projectRows(model) {
  const sums = new Map();
  for (const { scopes } of model.servers) {
    const place = scopes[0] ?? "";
    const sum = sums.get(place) ??
      { servers: 0, running: 0, queued: 0, ended: 0, failed: 0, denials: 0, ms: 0, memory: 0 };
    sum.servers++;
    sums.set(place, sum);
  }
  for (const operation of model.operations.values()) {
    const sum = sums.get(operation.project ?? "");
    if (sum === undefined) continue;
    sum[isEnded(operation) ? "ended" : operation.state]++;
    if (operation.state === "failed" || operation.state === "timed_out") sum.failed++;
    sum.denials += operation.denials?.length ?? 0;
    sum.ms += operation.state === "queued" ? 0 : operation.elapsedMs;
    sum.memory += operation.usage?.memoryBytes ?? 0;
  }
  return [...sums].map(([place, { servers, running, queued, ended, failed, denials, ms, memory }]) =>
    [visible(place), servers, running, queued, ended, failed, denials, duration(ms), bytes(memory)].map(String)
  );
}

const MOST_LISTED = 30;

/** The summary of audit logs: the tables of `ahma_mcp audit`. */
function historyParts({ ran = [], denials = [], names = [], killed = 0, logs = [] }) {
  const runs = ran.reduce((sum, one) => sum + one.runs, 0);
  const problems = logs.flatMap(({ path, problem, bad }) =>
    problem === undefined && !(bad > 0)
      ? []
      : [`${visible(path)}: ${visible(problem ?? `${bad} lines cannot be read`)}`]
  );
  const sum = `${counted(runs, "run")}, ${counted(killed, "operation")} ended by a person`;
  const section = (caption, titles, rows) => rows.length > 0 && table(caption, titles, rows.slice(0, MOST_LISTED));
  return [
    el("p", {}, sum),
    ...problems.map((text) => el("p", { class: "quiet" }, text)),
    section(
      "Programs",
      ["Tool", "Program", "Runs", "Failed", "Denied", "Time", "Longest"],
      ran.map((
        one,
      ) => [
        visible(one.tool),
        visible(one.what),
        ...[one.runs, one.failed, one.denied].map(String),
        duration(one.totalMs),
        duration(one.longestMs),
      ]),
    ),
    section(
      "Denials",
      ["Denied", "Times", "Flag that allows it", "Tools"],
      denials.map((
        one,
      ) => [
        visible(one.subject),
        String(one.times),
        one.flag === undefined ? "none" : visible(one.flag),
        visible(one.tools?.join(" ")),
      ]),
    ),
    section(
      "Names on the network",
      ["Name", "Connections", "Refused", "In", "Out"],
      names.map((
        one,
      ) => [visible(one.name), String(one.connections), String(one.refused), bytes(one.bytesIn), bytes(one.bytesOut)]),
    ),
    names.length === 0 && el("p", { class: "quiet" }, "No command looked up a name on the network."),
  ].filter((part) => part !== false);
}
