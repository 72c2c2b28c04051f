// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Shows what an operation changed in its project, and undoes it. */

const CHANGE_WORDS = { A: "added", M: "changed", D: "deleted" };
const MOST_DIFF_LINES = 2_000;

/** Loads the changes; the element is returned at once. */
function changesOf(server, operation) {
  const node = el("section", { class: "changes", "aria-label": "Changes", tabindex: "-1" }, "Loading the changes …");
  const query = new URLSearchParams({ server, operation });
  const load = async () => {
    const { changes = [], diff = "", shared = [], refs = [] } = await askJson(`/api/changes?${query}`);
    node.replaceChildren(el("h3", {}, `${counted(changes.length, "path")} changed`), undoButton(server, operation));
    node.append(changeList(changes));
    if (shared.length > 0) {
      node.append(
        el("p", { class: "quiet" }, `Ran at the same time, so a change may be theirs: ${visible(shared.join(", "))}`),
      );
    }
    for (const { name } of refs) node.append(el("p", { class: "quiet" }, `git ${visible(name)} moved: see git reflog`));
    if (diff !== "") node.append(diffView(diff));
  };
  void load().catch((thrown) => node.replaceChildren(el("p", { class: "quiet" }, thrown.message)));
  return node;
}

function undoButton(server, operation) {
  const node = el("div", {});
  const ask = (paths) =>
    confirmed({
      label: paths === undefined ? "Undo" : `Put ${counted(paths.length, "path")} back anyway`,
      question: "Restore the earlier state?",
      yes: "Put it back",
      no: "Leave it",
      act: async () => {
        const done = await act({ action: "undo", server, operation, ...paths && { paths } });
        const { undone = [], left = [] } = parsed(done);
        for (const { path, reason } of left) node.append(el("p", {}, `${visible(path)}: ${visible(reason)}`));
        if (left.length > 0) node.append(ask(left.map(({ path }) => path)));
        return undone.length === 0 && left.length === 0 ? visible(done) : `Put back ${counted(undone.length, "path")}`;
      },
    });
  node.append(ask());
  return node;
}

/** A line that is not JSON is a message itself. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return {};
    throw thrown;
  }
}

function changeList(changes) {
  return el(
    "ul",
    { class: "paths" },
    changes.slice(0, 200).map(({ change, path }) =>
      el("li", {}, [
        el("span", { class: `change ${CHANGE_WORDS[change] ?? ""}` }, CHANGE_WORDS[change] ?? visible(change)),
        el("code", {}, visible(path)),
      ])
    ),
    changes.length > 200 && el("li", {}, `and ${changes.length - 200} more`),
  );
}

function diffView(diff) {
  const lines = diff.trimEnd().split("\n");
  const kinds = { "+": "added", "-": "deleted", "@": "place" };
  const shown = lines.slice(0, MOST_DIFF_LINES).map((line) => {
    const kind = kinds[line[0]] ?? "";
    return el("div", { class: `line ${kind}` }, runElement({ text: line.slice(0, 4_000), style: {} }));
  });
  const more = lines.length - shown.length;
  return el("div", { class: "console diff", tabindex: "0", role: "region", "aria-label": "Diff" }, [
    ...shown,
    more > 0 && el("p", { class: "note" }, `${counted(more, "more line")}: ahma_mcp undo shows them`),
  ]);
}
