// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The page inside an MCP host (SEP-1865), which passes the page's requests to its server. */

const APP_URI = "ui://ahma/operations";
const APP_PROTOCOL = "2026-01-26";
/** A host announces no changes, so the page polls; milliseconds. */
const LOOK_MS = 1_000;
const APP_HEIGHT = 640;
const OWN_PAGE = "the page of ahma_mcp dashboard";

class HostApp {
  #last = 0;
  #waiting = new Map();
  #prefix = "";
  #begun;

  /** The host; undefined: the page has a browser tab of its own, or a token. */
  static find() {
    const isWithin = parent !== window && !TOKEN.test(location.hash);
    return isWithin ? new HostApp() : undefined;
  }

  constructor() {
    addEventListener("message", ({ source, data }) => source === parent && this.#take(data));
    this.#begun = this.#begin();
    this.#begun.catch(() => {});
  }

  /** As `readEvents` does. */
  async events(path, signal, onEvent) {
    await this.#begun;
    const { pathname, searchParams } = new URL(path, "http://page.invalid");
    if (pathname === "/api/events") return await this.#look(signal, async () => onEvent(await this.#read("state")));
    const id = searchParams.get("operation");
    let from = 0;
    onEvent({ event: "stream" });
    await this.#look(signal, async () => {
      const { from: first, data, end } = await this.#read(`output/${id}`);
      const bytes = bytesOf(data);
      if (first > from) onEvent({ event: "gap", bytes: first - from });
      const more = bytes.subarray(Math.max(0, from - first));
      from = first + bytes.length;
      if (more.length > 0) onEvent({ event: "output", data: base64([...more]) });
      if (end !== undefined) onEvent({ event: "end", line: end });
      return end !== undefined;
    });
  }

  /** As `act` does; a host can only end operations. */
  async act({ action, operation }) {
    if (action !== "kill") throw new Error(`Only ${OWN_PAGE} can do that`);
    const params = { name: `${this.#prefix}cancel`, arguments: { operation_id: operation } };
    const { content, isError } = await this.#request("tools/call", params);
    const text = content.map((part) => part.text ?? "").join(" ");
    if (isError === true) throw new Error(text);
    return text;
  }

  async #begin() {
    const appInfo = { name: "ahma_mcp", version: "1" };
    const { hostContext } = await this.#request("ui/initialize", {
      appCapabilities: {},
      appInfo,
      protocolVersion: APP_PROTOCOL,
    });
    this.#prefix = /^(.*)status$/.exec(hostContext?.toolInfo?.tool?.name)?.[1] ?? "";
    this.#colour(hostContext);
    this.#send({ method: "ui/notifications/initialized", params: {} });
    const { clientWidth: width } = document.documentElement;
    this.#send({ method: "ui/notifications/size-changed", params: { width, height: APP_HEIGHT } });
  }

  /** Repeats it until it returns true, or the page is closed. */
  async #look(signal, once) {
    while (!signal.aborted && await once() !== true) {
      const { promise, resolve } = Promise.withResolvers();
      setTimeout(resolve, LOOK_MS);
      signal.addEventListener("abort", resolve, { once: true });
      await promise;
    }
  }

  async #read(part) {
    const { contents: [{ text }] } = await this.#request("resources/read", { uri: `${APP_URI}/${part}` });
    return JSON.parse(text);
  }

  async #request(method, params) {
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return await promise;
  }

  #send(message) {
    parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #take({ id, method, params, result, error }) {
    if (method === "ui/notifications/host-context-changed") this.#colour(params);
    // A ping, or the end of the page: nothing is lost.
    if (method !== undefined && id !== undefined) return this.#send({ id, result: {} });
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error !== undefined) waiting?.reject(new Error(visible(String(error.message))));
    else waiting?.resolve(result);
  }

  #colour({ theme } = {}) {
    if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
  }
}
