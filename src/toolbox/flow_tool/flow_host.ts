/** The effects of flows: shell lines and tools run like any other call, prompts come from prompt sources (K7, S3). */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { delay } from "../../base/time.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { encodeText } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import type { WorkControl } from "../../operation/operation.ts";
import { RingBuffer } from "../../operation/output/ring_buffer.ts";
import { describeEnd } from "../../base/command/command_end.ts";
import { askSources } from "../../service/call/call_tool.ts";
import { requestWork } from "../../service/run/command_work.ts";
import { withTimeLimit } from "../../service/run/retries.ts";
import type { CallContext, Service } from "../../service/service.ts";
import type { FlowHost, ShellCall } from "../flow/drive.ts";
import { type ActionEnd, type Run, topOf } from "../flow/machine.ts";

export interface FlowHostParts extends Pick<FlowHost, "flow" | "start" | "evaluate"> {
  readonly service: Service;
  readonly control: WorkControl;
  readonly context: CallContext;
  readonly save: (run: Run) => Promise<void>;
}

/** A flow sees at most this many of the last bytes of a command's output. */
const MOST_OUTPUT_BYTES = 64 * 1024;
/** The tool that runs flows; a flow uses `run workflow` instead. */
const OWN_NAME = "flow";

export function flowHost({ service, control, context, save, ...parts }: FlowHostParts): FlowHost {
  const { signal } = control;
  return {
    ...parts,
    signal,
    prompt: (name, args) => renderPrompt(service, { name, args }, signal),
    shell: (call) => runShell(service, call, control),
    tool: (name, args) => callTool(service, { name, args }, { signal, trace: context.trace }),
    wait: (seconds) => delay(seconds * 1000, signal),
    async save(run) {
      await save(run);
      const { flow, state } = topOf(run);
      await context.sendProgress?.(run.transitions, `${flow}.${state}`);
    },
  };
}

async function renderPrompt(
  service: Service,
  request: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Outcome<string>> {
  for (const source of service.prompts) {
    const found = await source.get(request, { signal });
    if (found.ok) {
      const texts = found.value.messages.map(({ content }) => content.type === "text" ? content.text : "");
      return success(texts.join("\n\n"));
    }
    if (found.problem.kind === "refused") return failure(found.problem.message);
  }
  return failure(`There is no prompt "${request.name}"`);
}

async function runShell(service: Service, call: ShellCall, control: WorkControl): Promise<ActionEnd> {
  const directory = await service.scope.resolveDirectory(call.directory);
  if (!directory.ok) return { success: false, content: directory.problem };
  const kept = new RingBuffer(MOST_OUTPUT_BYTES);
  const request = {
    run: { shell: call.line },
    directory: directory.value,
    environment: call.environment,
    stdin: undefined,
  };
  const end = await withTimeLimit(requestWork(service, request), call.timeoutSeconds)({
    operation: control.operation,
    signal: control.signal,
    answer: () => {},
    protectedChanged: (changes) => control.protectedChanged(changes),
    connected: (use) => control.connected(use),
    running: (command) => control.running(command),
    say(line) {
      kept.write(encodeText(`${line}\n`));
      control.say(line);
    },
    write(chunk) {
      kept.write(chunk);
      return control.write(chunk);
    },
  });
  const text = visibleText(new TextDecoder().decode(kept.toBytes())).trimEnd();
  const exit_code = end.kind === "exited" ? end.code : -1;
  const content = end.kind === "exited" ? text : [text, describeEnd(end)].filter((part) => part !== "").join("\n");
  return { success: exit_code === 0, content, facts: { exit_code, stdout: text } };
}

async function callTool(
  service: Service,
  call: { readonly name: string; readonly args: Readonly<Record<string, string>> },
  caller: Pick<CallContext, "signal" | "trace">,
): Promise<ActionEnd> {
  if (call.name === OWN_NAME) return { success: false, content: 'A flow calls another by: run workflow "NAME"' };
  const waiting: Service = { ...service, settings: { ...service.settings, synchronous: true } };
  const context = { ...caller, sendProgress: undefined, unhurried: true, ownToolsOnly: true } as const;
  const answer = await askSources(service.sources, waiting, call, context);
  if (!answer.ok) {
    const other = 'the agent itself calls tools of other servers, after: ask "..."';
    return { success: false, content: `There is no tool "${call.name}" that a flow may call; ${other}` };
  }
  return { success: answer.value.isError !== true, content: textOf(answer.value) };
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => part.type === "text" ? part.text : `[${part.type}]`).join("\n");
}
