/** Texts of others that pretend to be a part of the page: tool names, titles, output, paths, clients (V3). The page in a host (V4). */
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import type { Shared, SharedTest } from "../_support/sharing.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";
import { findsPage, plainListsOfAnother } from "./app.ts";
import { Host, PAGE, SHOWS_APPS, startAppHost } from "./app_host.ts";
import type { Tab } from "./browser.ts";
import { DashboardProcess } from "./dashboard_process.ts";
import type { Everything } from "./everything.ts";
import type { Shown } from "./shown.ts";

const [USER = "root"] = usersAtHand();

/** Each would set `ran`, open a dialog or load something, if the page took it for more than a text. */
const TEXTS: readonly string[] = [
  "<script>ran=1</script>",
  "<ScRiPt>ran=1</sCrIpT>",
  "</script><script>ran=1</script>",
  "</title><script>ran=1</script>",
  "</style><script>ran=1</script>",
  "<img src=x onerror=ran=1>",
  "<img src=x onerror=alert(1)//",
  `"><img src=x onerror="ran=1">`,
  `' onmouseover='ran=1' x='`,
  `" autofocus onfocus="ran=1`,
  "<svg onload=ran=1>",
  "<svg><script>ran=1</script></svg>",
  "<svg><a xlink:href=javascript:ran=1><text>x</text></a></svg>",
  "<math><mi xlink:href=javascript:ran=1>x",
  "<iframe src=javascript:ran=1></iframe>",
  `<iframe srcdoc="<script>parent.ran=1</script>">`,
  "<object data=javascript:ran=1>",
  "<embed src=javascript:ran=1>",
  "<base href=http://evil.example/>",
  "<link rel=stylesheet href=http://evil.example/x.css>",
  "<meta http-equiv=refresh content=0;url=http://evil.example>",
  "<form action=http://evil.example><button>go</button></form>",
  "<details open ontoggle=ran=1>",
  "<video><source onerror=ran=1>",
  "<body onload=ran=1>",
  "<style>@import 'http://evil.example/x'</style>",
  "<template><script>ran=1</script></template>",
  "<!--><script>ran=1</script>-->",
  "<a href=javascript:ran=1>click</a>",
  "javascript:ran=1",
  "data:text/html,<script>ran=1</script>",
  "#op/javascript:ran=1/x",
  "//evil.example/%2f..",
  "${ran=1}",
  "{{constructor.constructor('ran=1')()}}",
  "`;ran=1//",
  "'];ran=1//",
  "\\u003cscript\\u003eran=1\\u003c/script\\u003e",
  "&lt;script&gt;ran=1&lt;/script&gt;",
  "\u202e>gmi<\u2066\u200b\ufeff<img src=x onerror=ran=1>",
  "\x1b]8;;javascript:ran=1\x1b\\link\x1b]8;;\x1b\\",
  "\x1b[31m<b>\x1b[0m\x1b]0;<script>ran=1</script>\x07",
  "\ud800<img src=x onerror=ran=1>\udfff",
  "＜script＞ran=1＜/script＞",
  "__proto__",
  "constructor",
  `"]{}*{background:url(http://evil.example)}`,
  "red;background:url(http://evil.example)",
];

/** All that the page itself makes. */
const OWN_ELEMENTS =
  "html head meta title link style script body button header h1 h2 h3 h4 nav a span div section strong " +
  "article main noscript p ul li input label select option dl dt dd pre code kbd textarea form table caption thead tbody " +
  "tr th td svg path rect line text";

/** What stands in the page and is not of its own making. */
async function foreign(tab: Tab): Promise<readonly string[]> {
  return await tab.read(`(() => {
    const own = new Set(${JSON.stringify(OWN_ELEMENTS.split(" "))});
    const found = document.querySelectorAll("script").length === 1 ? [] : ["a script"];
    for (const one of document.querySelectorAll("*")) {
      if (!own.has(one.localName)) found.push(one.localName);
      for (const { name, value } of one.attributes) {
        if (/^on|^src|^action|^formaction|^xlink/.test(name)) found.push(name);
        if (name === "href" && !/^#|^data:,$/.test(value)) found.push("href " + value);
        if (name === "style" && /url|@|expression/.test(value)) found.push("style " + value);
      }
    }
    return window.ran === undefined ? found : [...found, "it ran"];
  })()`);
}

async function isClean(tab: Tab, place: string): Promise<void> {
  assert.deepStrictEqual(await foreign(tab), [], place);
  assert.deepStrictEqual(tab.problems, [], place);
}

/** So many operations after each that is opened; their texts stand in its other fields, so that each text is seen. */
const APART = 5;

function operation(text: string, at: number): object {
  const texts = Array.from({ length: APART }, (_, step) => TEXTS[(at + step) % TEXTS.length] ?? text);
  const [one, two, three, four, five] = texts;
  const numbers = { memoryBytes: one, processorMs: two, processes: three, bytesIn: four, bytesOut: five, refusals: 1 };
  return {
    id: text,
    tool: two,
    title: three,
    state: ["running", "queued", "failed", four][at % 4],
    elapsedMs: at * 1_000,
    created: Date.now() - 100_000,
    ended: five,
    session: one,
    client: two,
    ...at % 2 === 0 ? { input: "terminal", terminal: true } : { input: "pipe" },
    usage: numbers,
    network: numbers,
    denials: texts.map((denied) => ({ text: denied, flags: texts })),
  };
}

function server(text: string, at: number): object {
  return {
    key: text,
    pid: text,
    version: text,
    mode: text,
    scopes: [`/${text}/${text}`],
    auditLog: text,
    sandbox: text,
    undo: true,
    behind: [text, { name: text, state: text, pin: text }],
    operations: [operation(text, at)],
    sessions: [{ name: text, directory: text, operation: text }],
    questions: [{ id: text, text, answers: ["once", text], asked: 0 }],
    granted: [{ id: text, text }],
  };
}

function stream(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

/** What the dashboard would answer, if all that a server says were hostile. */
function hostileAnswer({ pathname, searchParams }: URL): string {
  const text = searchParams.get("operation") ?? "";
  const data = new TextEncoder().encode(`${TEXTS.join("\n")}\n`).toBase64();
  const screen = TEXTS.map((one) => [{ text: one, fg: one, bg: one, bold: one }, { text, fg: text }]);
  const row = { tool: text, what: text, subject: text, flag: text, name: text, tools: [text], times: text, runs: text };
  const rows = TEXTS.map((one) => ({ ...row, tool: one, what: one, subject: one, flag: one, name: one, tools: [one] }));
  switch (pathname) {
    case "/api/events":
      return stream({ kind: "state", now: Date.now(), servers: TEXTS.map(server) });
    case "/api/output":
      return stream(
        { event: "stream", stream: text },
        { event: "earlier", leftOut: 7, data },
        { event: "output", data },
        { event: "screen", columns: 80, rows: screen, cursor: [text, 1] },
        { event: "waiting", reason: text },
        { event: "not_taken", problem: text },
        { event: "end", line: text },
      );
    case "/api/history":
      return JSON.stringify({
        ran: rows,
        denials: rows,
        names: rows,
        killed: text,
        logs: [{ path: text, problem: text }],
      });
    case "/api/changes": {
      const changes = TEXTS.map((path) => ({ change: path, path }));
      return JSON.stringify({
        changes,
        diff: TEXTS.map((one) => `+${one}`).join("\n"),
        shared: TEXTS,
        refs: [{ name: text }],
      });
    }
    default:
      return JSON.stringify({ done: JSON.stringify({ undone: [text], left: [{ path: text, reason: text }] }) });
  }
}

/** A server whose project has a hostile name, and a dashboard that shows no other server. */
export interface Only {
  readonly bench: Workbench;
  readonly scope: string;
  readonly process: ServerProcess;
  readonly dashboard: DashboardProcess;
  readonly shown: Shown;
}

async function hostileNames(
  { server: { shown } }: Shared<Everything>,
  after: (only: Only) => Promise<void>,
): Promise<void> {
  using bench = new Workbench(USER);
  const scope = `${bench.scope}/"><img src=x onerror=ran=1>\u202e{{7*7}}`;
  bench.write(`${scope}/hostile.txt`, `${TEXTS.join("\n")}\n`);
  await using process = await ServerProcess.start(bench, { flags: ["--sandbox-scope", scope], era: "none" });
  await using dashboard = await DashboardProcess.start(bench);

  await process.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: TEXTS[5], version: TEXTS[0] },
  });
  await process.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`).toWellFormed()}'`;
  const tab = await shown.load({ url: dashboard.url });
  for (const at of [0, 1, 2, 3]) {
    const words = TEXTS.filter((_, index) => index % 4 === at).map(quoted).join(" ");
    await process.shell(`: ${words}; cat hostile.txt`, { working_directory: scope });
  }
  await tab.see("document.querySelectorAll('.rows li').length === 4", "all operations");
  for (const at of [0, 1, 2, 3]) {
    await tab.read(`document.querySelectorAll(".rows a")[${at}].click()`);
    await tab.seeText(".console .line", "constructor.constructor");
    await tab.seeText(".console .line", "⟨U+202E⟩>gmi<");
    await tab.seeText(".console .line", "link");
    await tab.seeText(".facts dd", "<img src=x onerror=ran=1>");
    await isClean(tab, `operation ${at}`);
  }
  for (const view of ["timeline", "permissions", "servers", "totals"]) {
    await tab.read(`location.hash = "${view}"`);
    await tab.see(`document.querySelector("main h2")?.id === "${view}"`);
    await isClean(tab, view);
  }
  await after({ bench, scope, process, dashboard, shown });
}

async function inAHost({ server: { shown: { browser } } }: Shared<Everything>): Promise<void> {
  using bench = new Workbench();
  const lists = await plainListsOfAnother(bench);
  await using server = await ServerProcess.start(bench, { era: "none" });
  const host = await Host.of(server, "2025-11-25", SHOWS_APPS);
  await findsPage(bench, host, lists);
  const { text: html } = await host.read(PAGE);
  const command = 'echo "<img src=x onerror=alert(1)>"; sleep 307';
  await host.ask("tools/call", {
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  await bench.processesAppear("sleep 307");
  await using shown = startAppHost(html, (method, params) => host.ask(method, params));
  const outer = await browser.open(shown.url);
  const page = await browser.frame();
  await page.click(".rows a", "sleep 307");
  await page.seeText(".console .line", "<img src=x onerror=alert(1)>");
  assert.strictEqual(await page.read("getComputedStyle(document.documentElement).colorScheme"), "dark");
  await page.click(".actions button", "Cancel");
  await page.click(".asked button", "End it");
  await bench.processesGone("sleep 307");
  await page.seeText(".facts dd", "cancelled");
  const methods = new Set(await outer.read<readonly string[]>("window.methods"));
  assert.deepStrictEqual([...methods].toSorted(), [
    "resources/read",
    "tools/call",
    "ui/initialize",
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
  ]);
  assert.deepStrictEqual([outer.problems, page.problems], [[], []]);
}

async function hostileServer({ server: { shown } }: Shared<Everything>): Promise<void> {
  assert.ok(TEXTS.length >= 40);
  const tab = await shown.load({ url: "about:blank" });
  await tab.answering(hostileAnswer);
  await tab.goTo(shown.dashboard.url);
  await tab.see(`document.querySelectorAll(".rows li").length === ${TEXTS.length}`, "all operations");
  await tab.see(`document.querySelectorAll(".question").length === ${TEXTS.length}`, "all questions");
  await isClean(tab, "the list");
  for (const [at, text] of TEXTS.entries()) {
    // No address can name half a character.
    if (at % APART !== 0 || !text.isWellFormed()) continue;
    const begins = JSON.stringify(`${text}/`);
    await tab.read(`[...document.querySelectorAll(".rows a")]
      .find(({ hash }) => decodeURIComponent(hash.slice("#op/".length)).startsWith(${begins})).click()`);
    await tab.see("document.querySelector('.console .line, .screen .line')", `output of ${text}`);
    if (at % 4 === 2) {
      await tab.click("button", "Changes and undo");
      await tab.see(`document.querySelectorAll(".paths li").length >= ${TEXTS.length}`, `changes of ${text}`);
    }
    await isClean(tab, text);
  }
  for (const view of ["timeline", "permissions", "servers", "totals"]) {
    await tab.read(`location.hash = "${view}"`);
    await tab.see(
      `document.querySelector("main h2")?.id === "${view}" && !document.body.innerText.includes("Loading")`,
    );
    await isClean(tab, view);
  }
  await tab.read("document.querySelectorAll('.question button').forEach((one) => one.click())");
  await tab.see("document.querySelector('.question .said').textContent !== ''", "an answer");
  await isClean(tab, "answers");
  await tab.read("document.body.append(document.createElement('img'))");
  assert.deepStrictEqual(await foreign(tab), ["img"], "the control: an element of others is found");
  await tab.read("try { document.body.setAttribute('onclick', 'ran = 1') } catch {}");
  await tab.read("try { document.body.innerHTML = '<img src=x>' } catch {}");
  assert.notDeepStrictEqual(tab.problems, [], "the control: the page's policy reports");
}

/** Registers the tests for a browser that others use; `after`: what the server and the dashboard of the first do at their end. The page never returns to the dashboard after them. */
export function testHostileTexts(test: SharedTest<Everything>, after: (only: Only) => Promise<void>): void {
  test("V2 V3 commands, their output, a project and a client with hostile names stay text; a page that is loaded again goes on, says when a server or the dashboard has died, and axe finds nothing there", (shared) =>
    hostileNames(shared, after));
  test(
    "V4 2025-11-25 a host that shows pages finds that of operations at status, other clients see no difference, and the page works in a host of another origin, without a network of its own, and ends an operation there",
    inAHost,
  );
  // The last one: the browser's tab answers in the place of the dashboard from now on.
  test(
    "V3 whatever a server says of itself stays text on every view: no policy is broken and no element is added",
    hostileServer,
  );
}
