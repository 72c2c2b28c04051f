/** `flow`: starts, continues and lists runs (K7). The tool runs in the server, its effects run in the sandbox. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { UserError } from "../../base/errors.ts";
import { lazy } from "../../base/lazy.ts";
import { encodeText } from "../../base/text.ts";
import { failure, type Outcome, success, unwrapOrUserError as unwrap } from "../../base/outcome.ts";
import { Turns } from "../../operation/concurrency.ts";
import { isEnded, type Work } from "../../operation/operation.ts";
import { randomDigits } from "../../operation/operation_id.ts";
import { argumentValues } from "../../prompt/format/argument_values.ts";
import type { PromptDirectory } from "../../prompt/load/read_prompts.ts";
import { errorResult, textResult } from "../../service/result/result_text.ts";
import { runOperation } from "../../service/run/run_operation.ts";
import type { CallContext, Service } from "../../service/service.ts";
import type { CallOf } from "../definition/groups.ts";
import { answered, drive } from "../flow/drive.ts";
import { loadEvaluator, readJsonAnswer } from "../flow/expression.ts";
import type { Flow } from "../flow/flow.ts";
import { type ActionEnd, ended, newRun, type Run, withVariables } from "../flow/machine.ts";
import type { RunClaim, RunStore } from "../flow/run_store.ts";
import type { Variables } from "../flow/template.ts";
import { flowNamed, type FlowSet, readFlows, seenFrom } from "./flow_files.ts";
import { flowHost } from "./flow_host.ts";
import { listText, planText, runResult, runsText, type TextStyle } from "./flow_texts.ts";

export interface FlowToolParts {
  /** In order of precedence; the last wins. */
  readonly directories: () => readonly PromptDirectory[];
  readonly store: RunStore;
  /** Called with the id of each saved run. */
  readonly onSave: (id: string) => void;
}

/** Workflows that work at once. Their tools take turns with all other commands, for which no workflow may wait in one. */
const MOST_AT_ONCE = 4;

export class FlowTool {
  readonly #parts: FlowToolParts;
  readonly #turns = new Turns(MOST_AT_ONCE);
  readonly #evaluator = lazy(loadEvaluator);

  constructor(parts: FlowToolParts) {
    this.#parts = parts;
  }

  /** Does one call; an invalid call gives an error result. */
  async call(service: Service, args: CallOf<"flow">, context: CallContext): Promise<CallToolResult> {
    try {
      const flows = await readFlows(this.#parts.directories(), rootOf(service));
      if (args.run_id !== undefined) return await this.#goOn(service, args.run_id, args, { flows, context });
      return await this.#begin(service, args, { flows, context });
    } catch (thrown) {
      if (thrown instanceof UserError) return errorResult(thrown.message);
      throw thrown;
    }
  }

  async #begin(service: Service, args: CallOf<"flow">, { flows, context }: Surroundings): Promise<CallToolResult> {
    const { flow_name: name } = args;
    const { store, directories } = this.#parts;
    if (name === undefined) {
      throw new UserError('Give "flow_name" to start a workflow ("list" shows them), or "run_id" to continue a run');
    }
    if (name === "list") {
      return textResult(listText(flows, directories().map(({ path }) => seenFrom(rootOf(service), path))));
    }
    if (name === "status") return textResult(runsText(await store.listSeen(Date.now())));
    const flow = unwrap(flowNamed(flows, name));
    const variables = unwrap(startVariables(flow, { ...args.parameters, ...args.variables }));
    if (args.dry_run === true) return textResult(planText(flow));
    const run = newRun(randomDigits(10), flow, variables);
    const claim = unwrap(await store.claim(run.id));
    return await this.#holding(claim, async () => {
      await this.#save(run);
      return await this.#work(service, run, { args, flows, context, claim });
    });
  }

  async #goOn(
    service: Service,
    id: string,
    args: CallOf<"flow">,
    { flows, context }: Surroundings,
  ): Promise<CallToolResult> {
    const { store } = this.#parts;
    const kept = unwrap(await store.read(id));
    if (args.flow_name === "status") return runResult(await store.seen(kept), { ...styleOf(args, kept), logged: 0 });
    const claim = unwrap(await store.claim(id));
    return await this.#holding(claim, async () => {
      // Another call may have ended meanwhile, so the state is read again.
      const run = unwrap(await store.read(id));
      if (args.abort !== undefined) {
        const aborted = ended(run, "aborted", args.abort);
        await this.#save(aborted);
        claim.release();
        // The caller asked for this end, so it is not an error.
        const { isError: _, ...told } = runResult(aborted, styleOf(args, run));
        return told;
      }
      if (run.status !== "waiting" && run.status !== "running") {
        throw new UserError(`Run ${id} has ended (${run.status}): start flow "${run.flow}" again with flow_name`);
      }
      const given = args.variables === undefined ? run : withVariables(run, args.variables);
      return await this.#work(service, given, { args, flows, context, claim });
    });
  }

  async #save(run: Run): Promise<void> {
    await this.#parts.store.write(run);
    this.#parts.onSave(run.id);
  }

  /** Releases the claim if `begin` fails; otherwise the started operation releases it. */
  async #holding(claim: RunClaim, begin: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await begin();
    } catch (thrown) {
      claim.release();
      throw thrown;
    }
  }

  /** Runs it as an operation, so that it can be awaited and cancelled. */
  async #work(service: Service, run: Run, { args, flows, context, claim }: RunCall): Promise<CallToolResult> {
    const end = unwrap(answerTo(run, args));
    const evaluate = await this.#evaluator();
    const style = styleOf(args, run);
    const work: Work = async (control) => {
      const host = flowHost({
        service,
        control,
        context,
        evaluate,
        flow: (name) => Promise.resolve(flowNamed(flows, name)),
        start: startVariables,
        save: (changed) => this.#save(changed),
      });
      const going = end === undefined ? run : await answered(run, end, host);
      await this.#save(going);
      const last = await drive(going, host);
      await this.#save(last);
      const result = runResult(last.status === "running" ? { ...last, status: "interrupted" } : last, style);
      control.answer({ ...result });
      const [part] = result.content;
      control.write(encodeText(`${part?.type === "text" ? part.text : ""}\n`));
      return { kind: "exited", code: result.isError === true ? 1 : 0 };
    };
    const title = `${run.flow} ${run.id}`;
    const unset = { timeoutSeconds: undefined, executionMode: undefined, leafSynchronous: undefined };
    // An operation that is cancelled before it starts ends too, but never works.
    const stop = service.registry.subscribe(({ operation, to }) => {
      if (operation.title !== title || !isEnded(to)) return;
      claim.release();
      stop();
    });
    return await runOperation(service, { tool: "flow", title, work, turns: this.#turns, ...unset }, context);
  }
}

interface Surroundings {
  readonly flows: FlowSet;
  readonly context: CallContext;
}

interface RunCall extends Surroundings {
  readonly args: CallOf<"flow">;
  /** Released at the end of the work. */
  readonly claim: RunClaim;
}

function rootOf({ scope }: Service): string {
  return scope.roots[0] ?? "/";
}

/** The initial variables of a flow; the problem names wrong parameters. */
function startVariables(flow: Flow, given: Variables): Outcome<Variables> {
  const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);
  const texts = Object.entries(given).map(([name, value]) => [name, textOf(value)]);
  return argumentValues(flow, Object.fromEntries(texts), "start flow");
}

/** The result of the waiting action from the caller's answer; undefined: the run does not wait for one. */
function answerTo(
  run: Run,
  { result, outcome = "success", variables }: CallOf<"flow">,
): Outcome<ActionEnd | undefined> {
  const { waiting, id } = run;
  if (waiting === undefined) return success(undefined);
  if (waiting.kind === "variables") {
    return variables === undefined ? failure(waiting.text) : success({ success: true, content: "" });
  }
  if (outcome === "failure") return success({ success: false, content: result ?? "" });
  if (result === undefined) return failure(`Run ${id} waits for "result":\n${waiting.text}`);
  switch (waiting.expect) {
    case "text":
      return success({ success: true, content: result });
    case "yes_no": {
      const word = /^\W*(yes|no)\b/i.exec(result)?.[1]?.toUpperCase();
      return word === undefined
        ? failure(`Run ${id} waits for "YES" or "NO" at the start of "result"`)
        : success({ success: true, content: result, value: word });
    }
    case "json": {
      const value = readJsonAnswer(result);
      return value.ok
        ? success({ success: true, content: result, value: value.value })
        : failure(`Run ${id} waits for JSON as "result": ${value.problem}`);
    }
  }
}

function styleOf({ format, verbose = false }: CallOf<"flow">, run: Run): TextStyle {
  return { asJson: format === "json", verbose, logged: run.log.length };
}
