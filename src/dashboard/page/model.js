// deno-lint-ignore-file no-unused-vars -- the scripts of the page are joined into one
/** The state of the page: servers and their operations, as of the last events. */

const ORDER = { running: 0, queued: 1 };

class Model {
  servers = [];
  operations = new Map();
  /** Whether the state was received at least once. */
  isKnown = false;

  /** Applies an event. An unchanged operation stays the same object. */
  take({ kind, now, servers = [], operations = [] }) {
    if (kind === "operations") {
      for (const { server, ...operation } of operations) this.#put(server, operation, now);
    }
    if (kind !== "state") return;
    this.isKnown = true;
    this.servers = servers;
    const before = this.operations;
    this.operations = new Map();
    for (const { key, operations: listed } of servers) {
      for (const operation of listed) this.#put(key, operation, now, before);
    }
  }

  server(key) {
    return this.servers.find((server) => server.key === key);
  }

  /** Running operations first, then queued, then ended ones; the newest of each first. */
  sorted() {
    return [...this.operations.values()].sort((one, other) =>
      orderOf(one) - orderOf(other) || calledAt(other) - calledAt(one) || (one.key < other.key ? 1 : -1)
    );
  }

  questions() {
    return this.servers.flatMap((server) => (server.questions ?? []).map((question) => ({ server, question })));
  }

  #put(server, operation, now, before = this.operations) {
    const key = `${server}/${operation.id}`;
    const text = JSON.stringify(operation);
    const known = before.get(key);
    const { created, elapsedMs } = operation;
    const isOver = isEnded(operation);
    const offset = Date.now() - now;
    const began = (isOver && created !== undefined ? created : now - elapsedMs) + offset;
    const project = this.server(server)?.scopes[0];
    const isSame = known?.text === text && known.project === project;
    this.operations.set(key, isSame ? known : { ...operation, key, server, text, began, project });
  }
}

function orderOf({ state }) {
  return ORDER[state] ?? 2;
}

/** The same value in each event, so that the order is stable. */
function calledAt({ created, began }) {
  return created ?? began;
}

function isEnded({ state }) {
  return ORDER[state] === undefined;
}

/** How long it has run or been queued. */
function elapsedOf(operation) {
  return isEnded(operation) ? operation.elapsedMs : Date.now() - operation.began;
}

function linkTo({ server, id }) {
  return `#op/${encodeURIComponent(server.toWellFormed())}/${encodeURIComponent(id.toWellFormed())}`;
}

/** The text that a filter searches. */
function isFound(operation, words) {
  const { state, tool, title, client, project, session, id } = operation;
  const text = [state, tool, title, client, project, session, id].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
