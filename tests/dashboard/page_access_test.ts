/** The page for everyone: what axe finds, the keyboard alone, a narrow screen (V2). Pictures of it are kept in dist/dashboard. */
import axe from "axe-core";
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";
import type { Tab } from "./browser.ts";
import { DashboardProcess } from "./dashboard_process.ts";
import { Shown } from "./shown.ts";

const [USER = "root"] = usersAtHand();
const PICTURES = new URL("../../dist/dashboard/", import.meta.url).pathname;
const VIEWS = ["operations", "timeline", "permissions", "servers", "totals"];
const NARROW = { width: 390, height: 844 };

/** The rules that the page breaks, with the places. `rules`: absent: all of them. */
async function broken(tab: Tab, rules?: readonly string[]): Promise<readonly string[]> {
  if (!await tab.read<boolean>("'axe' in window")) await tab.read(axe.source);
  const runOnly = rules === undefined ? undefined : { type: "rule", values: rules };
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  return await tab.read(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" | ")))`);
}

/** What light and dark can decide. */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** Two servers with all that a page can show. The page of their user is told of both. */
class Everything implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly server: ServerProcess;
  readonly shown: Shown;

  private constructor(stack: AsyncDisposableStack, server: ServerProcess, shown: Shown) {
    [this.#stack, this.server, this.shown] = [stack, server, shown];
  }

  static async start(bench: Workbench): Promise<Everything> {
    await using stack = new AsyncDisposableStack();
    bench.write("changed.txt", "as it was\n");
    const flags = ["--ask", "read", "--audit-log", `${bench.elsewhere}/audit.jsonl`];
    const server = stack.use(await ServerProcess.start(bench, { flags }));
    const undoing = stack.use(await ServerProcess.start(bench, { flags: ["--undo"] }));
    const shown = stack.use(await Shown.start(bench));
    // Each end of a server looks for processes of both.
    stack.defer(async () => void await Promise.all([server.closeInput(), undoing.closeInput()]));
    await undoing.shell("echo changed > changed.txt; printf '\\033[31mred \\033[44mon blue\\033[0m\\n'");
    const file = bench.write(`${bench.elsewhere}/data/f`, "of data\n");
    await server.shell(`cat ${file}; exit 3`);
    await server.start("printf '\\033[1;32mname?\\033[0m '; read name", { tty: true });
    await server.start(`echo ${"wide ".repeat(100)}; head -c 5000 /dev/zero | tr '\\0' w; sleep 309`, { input: true });
    return new Everything(stack.move(), server, shown);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

const test = sharing((bench) => Everything.start(bench), USER);

/** Presses Tab until an element has the focus, as one without a mouse does. */
async function tabTo(tab: Tab, selector: string, text = ""): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)}) &&
    document.activeElement.textContent.includes(${JSON.stringify(text)})`;
  for (let pressed = 0; pressed < 60; pressed++) {
    if (await tab.read<boolean>(isThere)) return;
    await tab.press("Tab");
  }
  assert.fail(`Tab does not lead to ${selector} with "${text}"`);
}

test("V2 axe finds nothing on any view of the page, in light and dark, with everything and with nothing", async ({ server: { shown } }) => {
  await Deno.mkdir(PICTURES, { recursive: true });
  const tab = await shown.load();
  const look = async (name: string) => {
    for (const scheme of ["light", "dark"] as const) {
      await tab.colours(scheme);
      assert.deepStrictEqual(
        await broken(tab, scheme === "light" ? undefined : RULES_OF_COLOURS),
        [],
        `${name}, ${scheme}`,
      );
      await tab.screenshot(`${PICTURES}${name}-${scheme}.png`);
    }
  };
  await tab.seeText("#asking", "wants to read");
  await tab.click(".rows a", "echo wide");
  await tab.seeText(".console .line", "wwww");
  await tab.click(".actions button", "Cancel");
  await look("operation");
  await tab.click(".asked button", "Keep it");
  await tab.click(".rows a", "read name");
  await tab.seeText(".screen .line", "name?");
  await tab.click("button", "Type into the terminal");
  await look("terminal");
  await tab.press("Ctrl+]");
  await tab.click(".rows a", "echo changed");
  await tab.click("button", "Changes and undo");
  await tab.seeText(".diff .line", "+changed");
  await look("changes");
  for (const view of VIEWS.slice(1)) {
    await tab.read(`location.hash = "${view}"`);
    await tab.see(
      `document.querySelector("main h2")?.id === "${view}" && !document.body.innerText.includes("Loading")`,
    );
    await look(view);
  }
  await tab.read("document.querySelector('main').append(document.createElement('button'))");
  assert.match((await broken(tab)).join("\n"), /^button-name: /, "the control: a button without a name is found");
  await tab.read(`Object.assign(document.querySelector("main > button:last-child"), { innerText: "dim" })
    .style.cssText = "color: #333; background: #222"`);
  const dim = (await broken(tab, RULES_OF_COLOURS)).join("\n");
  assert.match(dim, /^color-contrast: /, "the control: a dim button is found");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 pages without servers and without a token explain themselves, and axe finds nothing there", async ({ server: { shown } }) => {
  using bench = new Workbench(USER);
  await using dashboard = await DashboardProcess.start(bench);
  const locked = await shown.load({ url: dashboard.address });
  await locked.seeText(".empty code", "ahma_mcp dashboard");
  assert.deepStrictEqual(await broken(locked), []);
  assert.deepStrictEqual(locked.problems, []);
  const tab = await shown.load({ url: dashboard.url });
  await tab.colours("dark");
  for (
    const [view, text] of [["operations", "ahma_mcp init"], ["timeline", "Nothing ran"], ["servers", "No server runs"]]
  ) {
    await tab.read(`location.hash = "${view}"`);
    await tab.seeText(".empty", text ?? "");
    assert.deepStrictEqual(await broken(tab), [], view);
  }
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 at 390 pixels no view scrolls sideways", async ({ server: { shown } }) => {
  await Deno.mkdir(PICTURES, { recursive: true });
  const tab = await shown.load(NARROW);
  const over = () => tab.read<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  await tab.seeText("#asking", "wants to read");
  for (const view of VIEWS) {
    await tab.read(`location.hash = "${view}"`);
    await tab.see(`document.querySelector("nav [aria-current]").hash === "#${view}"`);
    assert.strictEqual(await over(), 0, view);
    await tab.screenshot(`${PICTURES}${view}-narrow.png`);
  }
  await tab.read("location.hash = 'operations'");
  for (const [title, text] of [["echo wide", "wwww"], ["read name", "name?"], ["echo changed", "red"]]) {
    await tab.click(".rows a", title);
    await tab.seeText(".console .line", text ?? "");
    assert.strictEqual(await over(), 0, title);
    await tab.screenshot(`${PICTURES}${title?.replace(" ", "-")}-narrow.png`);
    await tab.click(".back");
  }
  await tab.read(`document.querySelector("main").style.setProperty("min-width", "600px")`);
  assert.ok(await over() > 0, "the control: a wide page is seen");
  assert.deepStrictEqual(tab.problems, []);
});

// The last one: the question is answered and a command ended by then.
test("V2 with the keyboard alone a person answers a question, opens an operation and ends it, and updates leave the focus", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await tab.seeText("#asking", "wants to read");
  await tabTo(tab, "#skip");
  await tab.press("Enter");
  await tabTo(tab, "#asking button", "No");
  await tab.press("Enter");
  await tab.see("document.querySelector('#asking').hidden", "that no question waits");
  assert.strictEqual(await tab.read("document.activeElement.tagName"), "MAIN");
  await tabTo(tab, ".rows a");
  while (!await tab.read<boolean>("document.activeElement.textContent.includes('echo wide')")) {
    await tab.press("ArrowDown");
  }
  const row = await tab.read<string>("document.activeElement.href");
  await server.start("echo another; sleep 309");
  await tab.seeText(".rows a", "echo another");
  assert.strictEqual(await tab.read("document.activeElement.href"), row);
  await tab.press("Enter");
  await tab.seeText(".console .line", "wide");
  assert.strictEqual(await tab.read("document.activeElement.tagName"), "H2");
  await tabTo(tab, ".actions button", "Cancel");
  await tab.press("Enter");
  assert.strictEqual(await tab.read("document.activeElement.textContent"), "Keep it");
  await tab.press("Shift+Tab");
  await tab.press("Enter");
  await tab.seeText(".facts dd", "cancelled");
  assert.strictEqual(await tab.read("document.activeElement.tagName"), "H2");
  await bench.processesAppear("sleep 309");
  assert.deepStrictEqual(tab.problems, []);
});
