import type { Agent, Answer } from "../client/agent.ts";
import { firstLine, printed } from "./checks.ts";
import type { Screen } from "./screen.ts";

interface Stage {
  readonly agent: Agent;
  readonly screen: Screen;
}

/** Lines of an answer that are shown. */
const MOST_LINES = 3;

/** Calls a tool and shows both sides; an error of the protocol is an answer too. */
export async function call({ agent, screen }: Stage, name: string, args: Record<string, unknown>): Promise<Answer> {
  screen.asks(`${name} ${JSON.stringify(args)}`);
  const answer = await agent.call(name, args).catch((error: Error): Answer => {
    return { text: error.message, isError: true, succeeded: false, operation: "", denials: [] };
  });
  screen.shows(printed(answer).slice(0, MOST_LINES).join("\n") || firstLine(answer));
  return answer;
}
