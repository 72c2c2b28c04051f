/** Lists the tools of a third-party server over a link as configured servers have it. */
import { isSpecType, type Tool } from "@modelcontextprotocol/server";
import { messageOf, UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { Hello, Link, OpenLink } from "../../../upstream/link/link.ts";

/** A third-party server: its name for messages, and how it is connected. */
export interface OtherServer {
  readonly name: string;
  readonly open: OpenLink;
}

/** What bounds a listing. */
export interface ListingLimits {
  /** For each answer, milliseconds. */
  readonly timeoutMs: number;
  /** Aborted: the listing is given up. */
  readonly stop: AbortSignal;
}

/** The tools of a third-party server. */
interface OtherTools {
  readonly tools: readonly Tool[];
  readonly server: Hello["server"];
}

/** The server gets no answers: it is asked only. */
const NO_METHOD = { error: { code: -32601, message: "Method not found" } };

/** Connects, lists every page of tools, disconnects. @throws {UserError} when the server answers wrongly */
export async function listOther({ name, open }: OtherServer, limits: ListingLimits, log: Logger): Promise<OtherTools> {
  const quiet = { onNotification() {}, onDown() {}, onUp() {}, onDenied() {}, onFresh() {} };
  const onRequest = () => Promise.resolve(NO_METHOD);
  const isCalled = () => false;
  try {
    const link = await inTime(
      limits,
      (stop) => open({ ...quiet, offers: {}, onRequest, isCalled, isReadOnlyTool: isCalled, stop, log }),
    );
    try {
      const { capabilities, server } = link.hello;
      return { tools: "tools" in capabilities ? await everyPage(link, limits) : [], server };
    } finally {
      await link.close();
    }
  } catch (thrown) {
    const [cause, ...wrote] = messageOf(thrown).split("\n");
    const lines = wrote.length === 0 ? [] : ["It wrote:", ...wrote];
    throw new UserError([`Cannot list the tools of ${name}: ${cause}`, ...lines].join("\n"), { cause: thrown });
  }
}

/** The result of `work`, or an error that it took too long; further lines of its own error are kept. */
async function inTime<Value>(
  { timeoutMs, stop }: ListingLimits,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    return await work(AbortSignal.any([stop, late]));
  } catch (thrown) {
    if (!late.aborted) throw thrown;
    const what = `It did not answer within ${timeoutMs / 1000} s. A server that is downloaded first may need longer: ` +
      "--timeout SECONDS";
    throw new Error([what, ...messageOf(thrown).split("\n").slice(1)].join("\n"), { cause: thrown });
  }
}

async function everyPage(link: Link, limits: ListingLimits): Promise<Tool[]> {
  const tools: Tool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  while (true) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await inTime(limits, async (signal) => {
      // The signal ends it first.
      const answer = await link.request({ method: "tools/list", params, timeoutMs: 2 * limits.timeoutMs, signal });
      if ("error" in answer) throw new Error(answer.error.message);
      return answer.result;
    });
    if (!isSpecType.ListToolsResult(answer)) throw new Error("Its answer to tools/list is not a list of tools");
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) return tools;
    if (seen.has(cursor)) throw new Error(`The server repeats the page "${cursor}"`);
    seen.add(cursor);
  }
}
