/**
 * What a person does on the page of the dashboard, in a browser, with real servers below it; and that everyone can: what
 * axe finds, the keyboard alone, a narrow screen (V2). One browser, because to start one costs more than most tests.
 */
import axe from "axe-core";
import assert from "node:assert/strict";
import { sharing } from "../_support/sharing.ts";
import { usersAtHand } from "../_support/workbench.ts";
import type { Tab } from "./browser.ts";
import { DashboardProcess } from "./dashboard_process.ts";
import { Everything } from "./everything.ts";
import { type Only, testHostileTexts } from "./hostile_texts.ts";

const [USER = "root"] = usersAtHand();
const ROW = ".rows a";
const FOCUSED = "document.activeElement";

function idIn({ text }: { readonly text: string }): string {
  return /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

async function stateIs(tab: Tab, word: string): Promise<void> {
  await tab.seeText(".facts dd", word);
}

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
  const tab = await shown.load();
  const look = async (name: string) => {
    for (const scheme of ["light", "dark"] as const) {
      await tab.colours(scheme);
      assert.deepStrictEqual(
        await broken(tab, scheme === "light" ? undefined : RULES_OF_COLOURS),
        [],
        `${name}, ${scheme}`,
      );
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

test("V2 at 390 pixels no view scrolls sideways", async ({ server: { shown } }) => {
  const tab = await shown.load(NARROW);
  const over = () => tab.read<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  await tab.seeText("#asking", "wants to read");
  for (const view of VIEWS) {
    await tab.read(`location.hash = "${view}"`);
    await tab.see(`document.querySelector("nav [aria-current]").hash === "#${view}"`);
    assert.strictEqual(await over(), 0, view);
  }
  await tab.read("location.hash = 'operations'");
  for (const [title, text] of [["echo wide", "wwww"], ["read name", "name?"], ["echo changed", "red"]]) {
    await tab.click(".rows a", title);
    await tab.seeText(".console .line", text ?? "");
    assert.strictEqual(await over(), 0, title);
    await tab.click(".back");
  }
  await tab.read(`document.querySelector("main").style.setProperty("min-width", "600px")`);
  assert.ok(await over() > 0, "the control: a wide page is seen");
  assert.deepStrictEqual(tab.problems, []);
});

// The last one with everything: the question is answered and a command ended by then.
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

test("V2 output is on the page while its command runs, a line is typed, and one confirmation ends all its processes", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await server.start(
    "printf '\\033[32mbegun\\033[0m\\n'; read line; echo got $line; (sleep 306 & sleep 306); true",
    { input: true },
  );
  await tab.click(ROW, "begun");
  await tab.seeText(".console .line", "begun");
  assert.match(await tab.read<string>("document.querySelector('.console .line span').style.color"), /var\(--c2\)/);
  await stateIs(tab, "running");
  await tab.click(".input-line input");
  await tab.type("hello");
  await tab.press("Enter");
  await tab.seeText(".console .line", "got hello");
  await bench.processesAppear("sleep 306");
  await tab.click(".actions button", "Cancel");
  await tab.seeText(".asked", "End it and all its processes?");
  await tab.click(".asked button", "Keep it");
  await stateIs(tab, "running");
  await bench.processesAppear("sleep 306");
  await tab.click(".actions button", "Cancel");
  await tab.click(".asked button", "End it");
  await bench.processesGone("sleep 306");
  await stateIs(tab, "cancelled");
  await tab.see("!document.querySelector('.input-line') && !document.querySelector('.actions .danger')");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a question about an operation that waits is still asked when it begins", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await server.start("while ! [ -e first ]; do sleep 0.05; done", { session: "one" });
  await server.start("sleep 305", { session: "one" });
  await tab.click(ROW, "sleep 305");
  await stateIs(tab, "queued");
  await tab.click(".actions button", "Cancel");
  bench.write("first", "");
  await stateIs(tab, "running");
  await tab.click(".asked button", "End it");
  await stateIs(tab, "cancelled");
  await bench.processesGone("sleep 305");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a terminal takes keys, pasted text and tabs, shows its screen, and a key leaves it", async ({ server: { server, shown } }) => {
  await server.start(
    "printf 'who? '; read -r name; clear; echo hello-$name; stty -icanon -echo; printf '\\033[?1hready\\n'; cat -v",
    { tty: true },
  );
  const tab = await shown.load();
  await tab.click(ROW, "read -r name");
  await tab.seeText(".screen .line", "who?");
  await tab.click("button", "Type into the terminal");
  await tab.type("world");
  await tab.press("Enter");
  await tab.seeText(".screen .line", "hello-world");
  await tab.seeText(".screen .line", "ready");
  for (const key of ["ArrowUp", "Tab", "F5", "Ctrl+A", "x"]) await tab.press(key);
  await tab.seeText(".screen .line", "^[OA\t^[[15~^Ax".replace("\t", "    "));
  await tab.send("Input.insertText", { text: "pasted ünd" });
  await tab.seeText(".screen .line", "pasted M-CM-<nd");
  assert.strictEqual(await tab.read(`${FOCUSED}.tagName`), "TEXTAREA");
  await tab.press("Ctrl+]");
  assert.strictEqual(await tab.read(`${FOCUSED}.innerText`), "Type into the terminal");
  await tab.press("Enter");
  for (const key of ["Escape", "Escape"]) await tab.press(key);
  await tab.see(`${FOCUSED}.tagName === "BUTTON"`, "that Esc twice leaves the terminal");
  await stateIs(tab, "running");
  await tab.click(".actions button", "Show as lines");
  await tab.seeText(".console .line", "hello-world");
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 a question is answered on the page, and what it allowed is taken back there", async ({ bench, server: { server, shown } }) => {
  const file = bench.write(`${bench.elsewhere}/others/f`, "of data\n");
  const tab = await shown.load();
  const denied = await server.shell(`cat ${file}`);
  assert.match(denied.text, /grants allow q_/);
  await tab.seeText("#asking .question", "wants to read");
  await tab.seeText("#announce", "A question waits");
  await tab.click("#asking button", "This session");
  await tab.see("document.querySelector('#asking').hidden", "that no question waits");
  assert.match((await server.shell(`cat ${file}`)).text, /^of data/);
  await tab.click("nav a", "Permissions");
  await tab.seeText(".cards li", "--read");
  await tab.click(".cards button", "Take back");
  await tab.click(".asked button", "Take it back");
  await tab.see("!document.querySelector('.cards .confirmed')", "that nothing is granted");
  assert.doesNotMatch((await server.shell(`cat ${file}`)).text, /^of data/);
  assert.deepStrictEqual(tab.problems, []);
});

test("V2 what an operation changed is shown on the page, and put back after a confirmation", async ({ bench, server: { server, shown } }) => {
  const kept = bench.write("kept.txt", "as it was\n");
  const id = idIn(await server.shell("echo other > kept.txt; echo new > new.txt"));
  const tab = await shown.load();
  await tab.click(ROW, "echo other");
  await tab.click("button", "Changes and undo");
  await tab.seeText(".paths li", "new.txt");
  await tab.seeText(".diff .line", "+other");
  await tab.click(".changes button", "Undo");
  assert.strictEqual(await Deno.readTextFile(kept), "other\n", "nothing is done before the confirmation");
  await tab.click(".asked button", "Put it back");
  await tab.seeText(".changes .said", "Put back 2 paths");
  assert.strictEqual(await Deno.readTextFile(kept), "as it was\n");
  assert.match(await tab.read<string>("location.hash"), new RegExp(`^#op/[^/]+/${id}$`));
  assert.deepStrictEqual(tab.problems, []);
});

/** A page that is loaded again goes on, and says when a server or the dashboard has died; axe finds nothing there. */
async function seesTheEnd({ bench, scope, process: dying, dashboard, shown }: Only): Promise<void> {
  const tab = await shown.load({ url: dashboard.url });
  await dying.start("echo one; until [ -e go ]; do sleep 0.05; done; echo two; sleep 307");
  await tab.click(ROW, "echo one");
  await tab.seeText(".console .line", "one");
  assert.ok(!(await tab.read<string>("location.href")).includes(dashboard.token));
  await tab.send("Page.reload");
  await tab.seeText(".console .line", "one");
  bench.write(`${scope}/go`, "");
  await tab.seeText(".console .line", "two");
  dying.kill("SIGKILL");
  await tab.seeText(".notice", "has ended");
  await tab.seeText(".empty", "No server runs");
  await tab.seeText(".console .line", "two");
  const link = await tab.read<string>("location.href");
  const copied = await shown.browser.open(link);
  await copied.seeText("main", "This page needs a token");
  await dashboard[Symbol.asyncDispose]();
  await tab.seeText("#connection", "Connection lost");
  const { port } = new URL(dashboard.address);
  await using again = await DashboardProcess.start(bench, ["--port", port]);
  await tab.seeText("main", "This page needs a token");
  await tab.seeText(".empty code", "ahma_mcp dashboard");
  assert.deepStrictEqual(await broken(tab), []);
  await tab.goTo(again.url);
  await tab.seeText("#connection", "Connected");
  await tab.colours("dark");
  for (
    const [view, text] of [["operations", "ahma_mcp init"], ["timeline", "Nothing ran"], ["servers", "No server runs"]]
  ) {
    await tab.read(`location.hash = "${view}"`);
    await tab.seeText(".empty", text ?? "");
    assert.deepStrictEqual(await broken(tab), [], view);
  }
  assert.deepStrictEqual([...tab.problems, ...copied.problems], []);
  await dying.exit();
}

test("V2 a flood of lines and a line of a million columns are cut, and a reader who scrolls up stays there", async ({ bench, server: { server, shown } }) => {
  const tab = await shown.load();
  await server.start(
    "until [ -e go ]; do sleep 0.05; done; head -c 1000000 /dev/zero | tr '\\0' w; echo; seq 10099; echo flooded; " +
      "until [ -e more ]; do sleep 0.05; done; echo the end; sleep 308",
  );
  await tab.click(ROW, "until");
  bench.write("go", "");
  await tab.seeText(".console .line", "flooded");
  const seen = await tab.read<{ lines: number; characters: number; width: number; isAtEnd: boolean }>(`(() => {
    const box = document.querySelector(".console");
    const lines = [...box.querySelectorAll(".line")];
    return {
      lines: lines.length,
      characters: lines.reduce((sum, { textContent }) => sum + textContent.length, 0),
      width: document.documentElement.scrollWidth - innerWidth,
      isAtEnd: box.scrollTop + box.clientHeight >= box.scrollHeight - 24,
    };
  })()`);
  assert.ok(seen.lines > 1_000 && seen.lines <= 5_001, `${seen.lines} lines`);
  assert.ok(seen.characters <= 1024 * 1024, `${seen.characters} characters`);
  assert.deepStrictEqual([seen.width <= 0, seen.isAtEnd], [true, true]);
  await tab.seeText(".console .note", "not shown");
  await tab.read("document.querySelector('.console').scrollTop = 0");
  await tab.see("!document.querySelector('.tools .end input').checked", "that the page does not follow");
  bench.write("more", "");
  await tab.seeText(".console .line", "the end");
  assert.strictEqual(await tab.read("document.querySelector('.console').scrollTop"), 0);
  await tab.click(".output input[type=search]");
  await tab.type("1009");
  await tab.seeText(".output .quiet", "10 lines");
  assert.deepStrictEqual(tab.problems, []);
});

testHostileTexts(test, seesTheEnd);
