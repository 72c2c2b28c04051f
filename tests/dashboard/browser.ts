/** Debian's Chromium without a window, driven by its own protocol as a person would: keys, clicks, looks (V2). */
import { until, withDeadline } from "../_support/deadline.ts";
import { readLines } from "../_support/line_reader.ts";

const DEADLINE = 20_000;
/** What a page shows of what is there. */
const SEEN_DEADLINE = 6_000;

type Result = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Result;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

export class Browser implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #profile: string;
  readonly #reading: Promise<unknown>;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Result>>();
  readonly #tabs = new Map<string, Tab>();
  #lastId = 0;

  private constructor(child: Deno.ChildProcess, profile: string, reading: Promise<unknown>, socket: WebSocket) {
    this.#child = child;
    this.#profile = profile;
    this.#reading = reading;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
  }

  static async start(): Promise<Browser> {
    const profile = await Deno.makeTempDir({ prefix: "ahma-browser-" });
    const child = new Deno.Command("chromium-headless-shell", {
      args: [
        // Chromium's own sandbox does not start as root.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        // A frame of another site is a target of its own, as in Chromium with a window.
        "--site-per-process",
        "--mute-audio",
        "--remote-debugging-port=0",
        `--user-data-dir=${profile}`,
        "about:blank",
      ],
      env: { HOME: profile },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const address = Promise.withResolvers<string>();
    let said = "";
    const reading = readLines(child.stderr, (line) => {
      said = `${said}${line}\n`.slice(-4_000);
      const [, url] = /^DevTools listening on (\S+)$/.exec(line) ?? [];
      if (url !== undefined) address.resolve(url);
    });
    void child.status.then(() => address.reject(new Error(`Chromium ended: ${said}`)));
    const socket = new WebSocket(await withDeadline(address.promise, DEADLINE, "Chromium"));
    const open = Promise.withResolvers<void>();
    socket.addEventListener("open", () => open.resolve(), { once: true });
    socket.addEventListener("error", () => open.reject(new Error("Chromium does not answer")), { once: true });
    await withDeadline(open.promise, DEADLINE, "Chromium's answer");
    return new Browser(child, profile, reading, socket);
  }

  /** A page of its own; storage is shared with no other. */
  async open(url: string, { width = 1280, height = 800, dark = false } = {}): Promise<Tab> {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, String(sessionId));
    this.#tabs.set(String(sessionId), tab);
    for (const domain of ["Page", "Runtime", "Log"]) await tab.send(`${domain}.enable`);
    await tab.resize(width, height);
    await tab.colours(dark ? "dark" : "light");
    await tab.goTo(url);
    return tab;
  }

  /** The page in the one frame of another site. */
  async frame(): Promise<Tab> {
    const isFrame = ({ type }: { readonly type: string }) => type === "iframe";
    const found = await until(
      async () => {
        const { targetInfos } = await this.send("Target.getTargets");
        return (targetInfos as readonly { readonly type: string; readonly targetId: string }[]).find(isFrame);
      },
      DEADLINE,
      "the frame of the page",
    );
    const { sessionId } = await this.send("Target.attachToTarget", { targetId: found.targetId, flatten: true });
    const tab = new Tab(this, String(sessionId), { isFrame: true });
    this.#tabs.set(String(sessionId), tab);
    for (const domain of ["Runtime", "Log"]) await tab.send(`${domain}.enable`);
    return tab;
  }

  /** One command of the protocol. */
  async send(method: string, params?: object, sessionId?: string): Promise<Result> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<Result>();
    this.#waiting.set(id, waiting);
    this.#socket.send(
      JSON.stringify({ id, method, params: params ?? {}, ...sessionId !== undefined && { sessionId } }),
    );
    return await withDeadline(waiting.promise, DEADLINE, `Chromium's answer to ${method}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#socket.addEventListener("close", () => closed.resolve(), { once: true });
    this.#socket.send(JSON.stringify({ id: ++this.#lastId, method: "Browser.close" }));
    await withDeadline(Promise.all([closed.promise, this.#child.status, this.#reading]), DEADLINE, "Chromium's end");
    // Its last helpers may still write there.
    await until(
      () => Deno.remove(this.#profile, { recursive: true }).then(() => true, () => false),
      DEADLINE,
      "the end of Chromium's profile",
    );
  }

  #receive({ id, method, sessionId, params = {}, result = {}, error }: Message): void {
    if (method !== undefined && sessionId !== undefined) this.#tabs.get(sessionId)?.notice(method, params);
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error !== undefined) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}

/** What Chromium calls keys that give no character. */
const KEY_CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  ArrowUp: 38,
  ArrowDown: 40,
};
const [CONTROL, SHIFT] = [2, 8];

const PROBLEMS = new Set(["Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Log.entryAdded"]);

export class Tab {
  readonly #browser: Browser;
  readonly #session: string;
  /** The place of a mouse is that in the page around it. */
  readonly #isFrame: boolean;
  /** Problems, dialogs and reports of the page's policy, as they came. */
  readonly problems: string[] = [];
  #answer: ((url: URL) => string) | undefined;

  constructor(browser: Browser, session: string, { isFrame = false } = {}) {
    this.#browser = browser;
    this.#session = session;
    this.#isFrame = isFrame;
  }

  async send(method: string, params: object = {}): Promise<Result> {
    return await this.#browser.send(method, params, this.#session);
  }

  async goTo(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
    await this.see("document.readyState === 'complete'", `the page ${url}`);
  }

  /** Gives this text to each request of the page in the dashboard's place. */
  async answering(answer: (url: URL) => string): Promise<void> {
    this.#answer = answer;
    await this.send("Fetch.enable", { patterns: [{ urlPattern: "*/api/*" }] });
  }

  async resize(width: number, height: number): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async colours(value: "light" | "dark"): Promise<void> {
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  /** The value of an expression in the page. */
  async read<Value>(expression: string): Promise<Value> {
    const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails } = answer as { result: { value: Value }; exceptionDetails?: object };
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }

  /** Waits until an expression of the page is true; fails with what the page shows. */
  async see(expression: string, what = expression): Promise<void> {
    try {
      await until(() => this.read<boolean>(`Boolean(${expression})`), SEEN_DEADLINE, what);
    } catch (cause) {
      const shown = await this.read("location.hash + '\\n' + document.body.innerText.slice(-2_000)");
      throw new Error(`Not seen: ${what}. Problems: ${this.problems.join("; ")}. The page:\n${shown}`, { cause });
    }
  }

  /** Waits until a visible element that a selector finds has the text. */
  async seeText(selector: string, text: string): Promise<void> {
    await this.see(`${finding(selector, text)} !== undefined`, `"${text}" in ${selector}`);
  }

  /** Clicks in the middle of the visible element that has the text. */
  async click(selector: string, text = ""): Promise<void> {
    await this.seeText(selector, text);
    if (this.#isFrame) return await this.read(`${finding(selector, text)}.click()`);
    const { x, y } = await this.read<{ x: number; y: number }>(`(() => {
      const found = ${finding(selector, text)};
      found.scrollIntoView({ block: "nearest" });
      const { x, y, width, height } = found.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    }
  }

  /** Presses a key, such as `Tab`, `Shift+Tab`, `Ctrl+]` or `x`. */
  async press(name: string): Promise<void> {
    const [, modifier, key = ""] = /^(Ctrl\+|Shift\+)?(.+)$/.exec(name) ?? [];
    const modifiers = modifier === "Ctrl+" ? CONTROL : modifier === "Shift+" ? SHIFT : 0;
    const windowsVirtualKeyCode = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
    const text = modifiers === CONTROL ? "" : key === "Enter" ? "\r" : key.length === 1 ? key : "";
    const type = text === "" ? "rawKeyDown" : "keyDown";
    const event = { key, code: key, modifiers, windowsVirtualKeyCode };
    await this.send("Input.dispatchKeyEvent", { type, ...event, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  async type(text: string): Promise<void> {
    for (const character of text) await this.press(character);
  }

  async screenshot(path: string): Promise<void> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    await Deno.writeFile(path, Uint8Array.fromBase64(String(data)));
  }

  /** Takes what the browser says of the page. */
  notice(method: string, params: Result): void {
    if (method === "Fetch.requestPaused") void this.#fulfil(params);
    const { source } = (params["entry"] ?? {}) as { readonly source?: string };
    // Requests that fail are what some tests are about.
    if (PROBLEMS.has(method) && source !== "network") this.problems.push(JSON.stringify(params));
    if (method === "Page.javascriptDialogOpening") void this.send("Page.handleJavaScriptDialog", { accept: false });
  }

  async #fulfil({ requestId, request }: Result): Promise<void> {
    const { url } = request as { readonly url: string };
    const body = new TextEncoder().encode(this.#answer?.(new URL(url))).toBase64();
    // The page may have gone on by then.
    await this.send("Fetch.fulfillRequest", { requestId, responseCode: 200, body }).catch(() => {});
  }
}

/** The first visible element with that text, as an expression. */
function finding(selector: string, text: string): string {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].find((one) =>
    one.textContent.includes(${JSON.stringify(text)}) && one.checkVisibility())`;
}
