import { strict as assert } from "node:assert";
import { INITIAL_STATUS, nextStatus, type OperationEvent, type OperationStatus } from "./operation.ts";

const CANCEL: OperationEvent = { kind: "stop_requested", cause: { state: "cancelled", message: "asked" } };
const TIMEOUT: OperationEvent = { kind: "stop_requested", cause: { state: "timed_out", message: "5 s" } };
const STARTED: OperationEvent = { kind: "started" };
const EXIT_0: OperationEvent = { kind: "work_ended", end: { kind: "exited", code: 0 } };
const EXIT_7: OperationEvent = { kind: "work_ended", end: { kind: "exited", code: 7 } };
const KILLED: OperationEvent = { kind: "work_ended", end: { kind: "signalled", signal: "SIGKILL" } };
const NOT_STARTED: OperationEvent = { kind: "work_ended", end: { kind: "not_started", message: "no such program" } };

function after(...events: OperationEvent[]): OperationStatus {
  return events.reduce(nextStatus, INITIAL_STATUS);
}

Deno.test("nextStatus() takes the end state from how the work ended", () => {
  assert.deepStrictEqual(after(STARTED, EXIT_0).end, { state: "completed", command: { kind: "exited", code: 0 } });
  assert.deepStrictEqual(after(STARTED, EXIT_7).end, { state: "failed", command: { kind: "exited", code: 7 } });
  assert.deepStrictEqual(after(STARTED, KILLED).end, {
    state: "failed",
    command: { kind: "signalled", signal: "SIGKILL" },
  });
  assert.deepStrictEqual(after(STARTED, NOT_STARTED).end, {
    state: "failed",
    message: "no such program",
    command: { kind: "not_started", message: "no such program" },
  });
});

Deno.test("X9 nextStatus() lets the first cause win: cancel, timeout and exit in every order", () => {
  assert.deepStrictEqual(after(STARTED, CANCEL, TIMEOUT, KILLED).end, {
    state: "cancelled",
    message: "asked",
    command: { kind: "signalled", signal: "SIGKILL" },
  });
  assert.deepStrictEqual(after(STARTED, TIMEOUT, CANCEL, EXIT_7).end, {
    state: "timed_out",
    message: "5 s",
    command: { kind: "exited", code: 7 },
  });
  assert.deepStrictEqual(after(STARTED, EXIT_0, CANCEL, TIMEOUT).end, {
    state: "completed",
    command: { kind: "exited", code: 0 },
  });
});

Deno.test("nextStatus() ends a queued operation at once and keeps a running one running until its work ended", () => {
  assert.strictEqual(after(CANCEL).state, "cancelled");
  assert.strictEqual(after(STARTED, CANCEL).state, "running");
});

Deno.test("nextStatus() returns the same object when nothing changes", () => {
  const ended = after(STARTED, EXIT_0);
  for (const event of [STARTED, CANCEL, TIMEOUT, EXIT_7]) assert.strictEqual(nextStatus(ended, event), ended);
  const running = after(STARTED);
  assert.strictEqual(nextStatus(running, STARTED), running);
});
