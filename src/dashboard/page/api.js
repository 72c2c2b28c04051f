// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** Requests of the page to the program, with the token, which stays in this tab. */

const TOKEN_KEY = "ahma-token";
const TOKEN = /^#?([\w-]{20,})$/;
/** Pauses between attempts to connect. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** `host`: the MCP host that shows the page; undefined: it has a browser tab of its own. */
const shown = {};

/** Removes the token from the address, so that neither the history nor a copied address contains it. */
function takeToken() {
  const [, token] = TOKEN.exec(location.hash) ?? [];
  if (token === undefined) return false;
  sessionStorage.setItem(TOKEN_KEY, token);
  history.replaceState(null, "", "#operations");
  return true;
}

/** Without the token there is nothing to show. */
class NoTokenError extends Error {}

async function ask(path, init = {}) {
  if (shown.host !== undefined) throw new Error(`Only ${OWN_PAGE} shows that`);
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token === null) throw new NoTokenError("This tab has no token");
  const headers = { authorization: `Bearer ${token}`, ...init.headers };
  const response = await fetch(path, { ...init, headers, cache: "no-store" });
  if (response.status === 401) throw new NoTokenError("The token is no longer valid");
  if (response.ok) return response;
  const { problem } = await response.json().catch(() => ({}));
  throw new Error(problem === undefined ? `The dashboard answered ${response.status}` : visible(problem));
}

/** Performs an action; returns the line that says what was done. */
async function act(action) {
  if (shown.host !== undefined) return await shown.host.act(action);
  const headers = { "ahma-action": "1", "content-type": "application/json" };
  const response = await ask("/api/action", { method: "POST", headers, body: JSON.stringify(action) });
  return (await response.json()).done ?? "Done";
}

async function askJson(path) {
  return await (await ask(path)).json();
}

/** Passes on each event of a stream until it ends. */
async function readEvents(path, signal, onEvent) {
  if (shown.host !== undefined) return await shown.host.events(path, signal, onEvent);
  const response = await ask(path, { signal });
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) onEvent(JSON.parse(data.slice("data: ".length)));
    }
  }
}

/** Reconnects with growing pauses. `onLost(seconds, retry)` is called for each pause; a missing token ends it. */
async function keepReading(path, { signal, onEvent, onLost }) {
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const read = (event) => {
      pause = FIRST_PAUSE_MS;
      onEvent(event);
    };
    const problem = await readEvents(path, signal, read).catch((thrown) => thrown);
    if (problem instanceof NoTokenError) throw problem;
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers();
    const timer = setTimeout(resolve, pause);
    signal.addEventListener("abort", resolve, { once: true });
    onLost(Math.ceil(pause / 1000), resolve);
    await promise;
    clearTimeout(timer);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Sends the inputs of one stream in order; what is typed during a request is sent together in the next. */
class InputLine {
  #waiting = [];
  #isSending = false;
  #onProblem;
  #stream = Promise.withResolvers();

  constructor(onProblem) {
    this.#onProblem = onProblem;
  }

  /** The name of the stream; earlier input waits for it. */
  open(stream) {
    this.#stream.resolve(stream);
  }

  type(text) {
    this.#waiting.push(...new TextEncoder().encode(text));
    void this.#send();
  }

  async give(action) {
    const stream = await this.#stream.promise;
    await act({ ...action, stream }).catch((thrown) => this.#onProblem(thrown.message));
  }

  async #send() {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      await this.give({ action: "input", data: base64(this.#waiting.splice(0, 16 * 1024)) });
    }
    this.#isSending = false;
  }
}

function base64(values) {
  return btoa(values.map((value) => String.fromCharCode(value)).join(""));
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
