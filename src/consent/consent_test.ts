import assert from "node:assert/strict";
import type { GrantSubject } from "../base/command/grant_subject.ts";
import type { Person } from "../base/command/person.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { Consent, type ConsentOptions, type KeptConsent } from "./consent.ts";
import type { ConsentEvent } from "./consent_event.ts";
import type { Decision } from "./wish.ts";

const NEVER = new AbortController().signal;

/** A person who gives these answers in turn, then none, and what it was shown. */
class Scripted implements Person {
  readonly shown: string[] = [];
  readonly withdrawn: string[] = [];
  readonly canBeAsked: boolean;
  readonly #answers: (string | Outcome<string>)[];

  constructor(answers: (string | Outcome<string>)[], canBeAsked = true) {
    this.#answers = answers;
    this.canBeAsked = canBeAsked;
  }

  ask(form: { readonly message: string }, signal: AbortSignal): Promise<Outcome<string>> {
    this.shown.push(form.message);
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.resolve(typeof answer === "string" ? success(answer) : answer);
    const { promise, resolve } = Promise.withResolvers<Outcome<string>>();
    signal.addEventListener("abort", () => {
      this.withdrawn.push(form.message);
      resolve(failure("taken back"));
    });
    return promise;
  }
}

/** A run with its wishes. */
function asking(person: Person, consent: Consent) {
  const run = {};
  const by = { command: "c", tool: "t", operation: "op_1" };
  return (subject: GrantSubject, signal = NEVER): Promise<Decision> =>
    consent.decide({ subject, run, person, by, onForm: () => {} }, signal);
}

function host(name: string): GrantSubject {
  return { kind: "network", host: name, port: 443 };
}

function consentOf(options: Partial<ConsentOptions> = {}): { consent: Consent; events: ConsentEvent[] } {
  const events: ConsentEvent[] = [];
  const record = (event: ConsentEvent) => {
    events.push(event);
    return Promise.resolve(success(undefined));
  };
  const kinds = new Set(["network", "read"] as const);
  return { consent: new Consent({ kinds, kept: undefined, record, ...options }), events };
}

function yes(answer: "once" | "session" | "project"): Decision {
  return { allowed: true, answer };
}
const NO = { allowed: false, reason: "was refused by the person who was asked", isFinal: true };

Deno.test("S35 an answer for a time holds for its run, one for the session for all", async () => {
  const { consent } = consentOf();
  const person = new Scripted(["this time", "this session"]);
  const first = asking(person, consent);
  assert.deepStrictEqual(await first(host("a")), yes("once"));
  assert.deepStrictEqual(await first(host("a")), yes("once"));
  const second = asking(person, consent);
  assert.deepStrictEqual(await second(host("a")), yes("session"));
  assert.deepStrictEqual(await asking(person, consent)(host("a")), yes("session"));
  assert.equal(person.shown.length, 2);
  assert.deepStrictEqual(consent.session, [host("a")]);
  assert.ok(await consent.revoke(host("a")));
  assert.deepStrictEqual(consent.session, []);
});

Deno.test("S35 one question at a time, equal ones are one, and once is asked again for another run", async () => {
  const { consent } = consentOf();
  const person = new Scripted(["this time", "this time", "this session"]);
  const [one, other] = [asking(person, consent), asking(person, consent)];
  const answers = await Promise.all([one(host("a")), one(host("a")), other(host("a")), other(host("b"))]);
  assert.deepStrictEqual(answers.map(({ allowed }) => allowed), [true, true, true, true]);
  assert.equal(person.shown.length, 3);
});

Deno.test("S35 a no is final for its subject, and two close their kind and no other", async () => {
  const { consent } = consentOf();
  const person = new Scripted(["no", failure("closed"), "this session"]);
  const ask = asking(person, consent);
  assert.deepStrictEqual(await ask(host("a")), NO);
  assert.deepStrictEqual(await ask(host("a")), NO);
  assert.deepStrictEqual(await ask(host("b")), { allowed: false, reason: "was asked for, and no person allowed it" });
  assert.deepStrictEqual(await ask(host("c")), {
    allowed: false,
    reason: "is not asked for: two of its kind were not allowed in this session",
  });
  assert.deepStrictEqual(await ask({ kind: "read", path: "/a" }), yes("session"));
  assert.deepStrictEqual(await ask({ kind: "write", path: "/a" }), { allowed: false });
  assert.equal(person.shown.length, 3);
});

Deno.test("S35 a session has ten questions", async () => {
  const { consent } = consentOf();
  const person = new Scripted(Array.from({ length: 11 }, () => "this session"));
  const ask = asking(person, consent);
  for (let count = 0; count < 10; count++) assert.ok((await ask(host(`h${count}`))).allowed);
  assert.deepStrictEqual(await ask(host("late")), {
    allowed: false,
    reason: "is not asked for: this session has had its 10 questions",
  });
});

Deno.test("S35 a text that was not offered is a no, and so is silence", async () => {
  const { consent } = consentOf({ answerMs: 1 });
  const person = new Scripted(["always for this project"]);
  const ask = asking(person, consent);
  const silent = { allowed: false, reason: "was asked for, and no person allowed it" };
  assert.deepStrictEqual(await ask(host("a")), silent);
  assert.deepStrictEqual(await ask(host("b")), silent);
  assert.equal(person.withdrawn.length, 1);
  const { consent: other } = consentOf({ answerMs: 1 });
  for (const _ of [1, 2]) assert.deepStrictEqual(await asking(person, other)(host("a")), silent);
  assert.equal(person.shown.length, 3);
});

Deno.test("S35 a question is taken back with its last command, which is no refusal", async () => {
  const { consent, events } = consentOf();
  const person = new Scripted([]);
  const ends = [new AbortController(), new AbortController()] as const;
  const ask = asking(person, consent);
  const asked = ends.map(({ signal }) => ask(host("a"), signal));
  ends[0].abort();
  assert.ok((await asked[0])?.allowed !== true);
  assert.equal(person.withdrawn.length, 0);
  ends[1].abort();
  await asked[1];
  assert.equal(person.withdrawn.length, 1);
  while (consent.list().length > 0) await Promise.resolve();
  assert.equal(consent.hostProblem("a"), undefined);
  assert.deepStrictEqual(events.map(({ event }) => event), ["question", "answer"]);
});

Deno.test("S35 a client without forms leaves the question to a terminal, where it is answered for later commands", async () => {
  const { consent } = consentOf();
  const ask = asking(new Scripted([], false), consent);
  const first = await ask(host("a"));
  const [{ id, answers } = { id: "", answers: [] }, ...more] = consent.list();
  assert.match(id, /^q_[0-9a-f]{6}$/);
  assert.deepStrictEqual([first, await ask(host("a"))], [1, 2].map(() => ({ allowed: false, question: id })));
  assert.deepStrictEqual([answers, more], [["session", "no"], []]);
  assert.match(consent.answer("q_2", "session") ?? "", /No question "q_2"/);
  assert.match(consent.answer(id, "once") ?? "", /command has ended/);
  assert.match(consent.answer(id, "project") ?? "", /Nothing is kept/);
  assert.equal(consent.answer(id, "session"), undefined);
  while (consent.list().length > 0) await Promise.resolve();
  assert.deepStrictEqual(await ask(host("a")), yes("session"));
  assert.deepStrictEqual(consent.sessionGrants(), [{ id, text: "connect to a:443" }]);
  assert.match(await consent.takeBack("q_2") ?? "", /Nothing was allowed for this session as "q_2"/);
  assert.equal(await consent.takeBack(id), undefined);
  assert.deepStrictEqual([consent.sessionGrants(), (await ask(host("a"))).allowed], [[], false]);
});

Deno.test("S35 what cannot be written down does not hold", async () => {
  const record = ({ event }: ConsentEvent) =>
    Promise.resolve(event === "answer" ? failure("cannot be written") : success(undefined));
  const { consent } = consentOf({ record });
  const ask = asking(new Scripted(["this session"]), consent);
  assert.deepStrictEqual(await ask(host("a")), { allowed: false, reason: "cannot be written" });
  assert.deepStrictEqual(consent.session, []);
});

Deno.test("S36 an answer for the project is kept, and one that cannot be kept is a no", async () => {
  const kept: GrantSubject[] = [];
  const keeping: KeptConsent = {
    subjects: () => kept,
    keep: (subject) => Promise.resolve(kept.length > 0 ? failure("is full") : success(void kept.push(subject))),
  };
  const { consent } = consentOf({ kept: keeping });
  const ask = asking(new Scripted(["always for this project", "always for this project"]), consent);
  assert.deepStrictEqual(await ask(host("a")), yes("project"));
  assert.deepStrictEqual(await ask(host("b")), { allowed: false, reason: "is full" });
  kept.length = 0;
  assert.ok(!consent.isGranted("a", {}));
});
