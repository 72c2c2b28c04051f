// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Questions that wait for a person, what was allowed, and what was denied. */

const ANSWERS = { once: "This time", session: "This session", project: "Always for this project", no: "No" };

/** Shown above every view while a question waits. */
class Questions {
  #node = document.getElementById("asking");
  #known = new Set();

  update(model) {
    const open = model.questions();
    const had = this.#node.contains(document.activeElement);
    const views = keyed(
      this.#node,
      open,
      ({ server, question }) => `${server.key}/${question.id}`,
      (one) => new Question(one),
    );
    this.#node.hidden = open.length === 0;
    for (const [key, { text }] of views) if (!this.#known.has(key)) announce(`A question waits: ${text}`);
    this.#known = new Set(views.keys());
    // If an answered question had the focus, the next question gets it, or the view.
    if (had && !this.#node.contains(document.activeElement)) {
      (this.#node.querySelector("button") ?? document.getElementById("main")).focus();
    }
  }
}

class Question {
  node;
  text;

  constructor({ server, question: { id, text, answers } }) {
    this.text = visible(text, 600);
    const said = el("span", { class: "said", role: "status" });
    let isGiven = false;
    const give = async (answer) => {
      if (isGiven) return;
      isGiven = true;
      const problem = await act({ action: "answer", server: server.key, question: id, answer }).then(
        () => undefined,
        ({ message }) => message,
      );
      if (problem === undefined) return setText(said, `Answered: ${ANSWERS[answer]}`);
      setText(said, problem);
      isGiven = false;
    };
    const buttons = answers.filter((answer) => Object.hasOwn(ANSWERS, answer)).map((answer) =>
      button(ANSWERS[answer], () => give(answer), { class: answer === "once" ? "primary" : undefined })
    );
    const about = el("p", { class: "quiet" }, `in ${visible(server.scopes[0])} · ${visible(id, 40)}`);
    const choices = el("div", { class: "choices", role: "group", "aria-label": "Answers" }, buttons, said);
    this.node = el("article", { class: "question" }, el("p", {}, this.text), about, choices);
  }

  update() {}
}

/** The view of grants and denials of all servers. Open questions are shown above it. */
function permissionsView(model) {
  const node = el("section", { class: "page", "aria-labelledby": "permissions" });
  const grants = el("ul", { class: "cards" });
  const noGrants = el("div", {});
  const denied = el("div", {});
  node.append(
    heading("permissions", "Permissions"),
    el("h3", {}, "Allowed until its server ends"),
    noGrants,
    grants,
    el("h3", {}, "Denied by the sandbox"),
    denied,
  );
  const update = () => {
    const all = model.servers.flatMap((server) => (server.granted ?? []).map((grant) => ({ server, grant })));
    keyed(grants, all, ({ server, grant }) => `${server.key}/${grant.id}`, (one) => new Grant(one));
    const isAsked = model.servers.some(({ questions }) => questions !== undefined);
    replaceOnce(
      noGrants,
      all.length > 0 ? "" : `${isAsked}`,
      () =>
        isAsked
          ? el(
            "p",
            { class: "quiet" },
            "Nothing yet. What you allow for a session is shown here and can be taken back.",
          )
          : emptyState(
            "No server asks you",
            "A server asks here what its commands are denied, if you start it with",
            "ahma_mcp --ask read,network",
          ),
    );
    const rows = deniedRows(model);
    replaceOnce(
      denied,
      JSON.stringify(rows),
      () =>
        rows.length === 0
          ? el("p", { class: "quiet" }, "Nothing was denied to the listed operations.")
          : el("ul", { class: "cards" }, rows.map(deniedCard)),
    );
  };
  return { node, update, tick() {}, close() {} };
}

function heading(id, text) {
  return el("h2", { id, tabindex: "-1" }, text);
}

/** Replaces the content of an element, unless it was made from the same text. */
function replaceOnce(element, text, make) {
  if (element.madeOf === text) return;
  element.madeOf = text;
  element.replaceChildren(...text === "" ? [] : [make()].flat());
}

/** Merges equal denials of several operations. */
function deniedRows(model) {
  const rows = new Map();
  for (const operation of model.sorted()) {
    for (const { text, flags = [] } of operation.denials ?? []) {
      const row = rows.get(text) ?? { text, flags, links: [] };
      row.links.push({ href: linkTo(operation), id: operation.id });
      rows.set(text, row);
    }
  }
  return [...rows.values()];
}

function deniedCard({ text, flags, links }) {
  const list = deniedList([{ text, flags }]).querySelector("li");
  const operations = links.slice(0, 5).flatMap(({ href, id }) => [el("a", { href }, visible(id)), " "]);
  list.append(el("span", { class: "quiet" }, `${counted(links.length, "operation")}: `, ...operations));
  return list;
}

class Grant {
  node;

  constructor({ server, grant: { id, text } }) {
    const back = confirmed({
      label: "Take back",
      question: "Take it back?",
      yes: "Take it back",
      no: "Keep it",
      act: () => act({ action: "take_back", server: server.key, grant: id }),
    });
    const about = el("span", { class: "quiet" }, `in ${visible(server.scopes[0])}`);
    this.node = el("li", {}, el("span", {}, visible(text)), about, back);
  }

  update() {}
}
