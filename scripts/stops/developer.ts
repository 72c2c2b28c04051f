/** An agent that works through a week, and the person at its client: each call until it succeeds or nothing helps. */
import { Agent, type Answer } from "../client/agent.ts";
import type { Desk } from "./desk.ts";
import { type Line, nextMove, withFlag } from "./next_move.ts";

export interface DeveloperOptions {
  readonly desk: Desk;
  /** Of the entry that `init` has written. */
  readonly args: readonly string[];
  /** True: the client shows forms, and the person always answers "always for this project". */
  readonly takesForms: boolean;
  /** Called with each call and its outcome. */
  readonly say: (text: string) => void;
}

/** Calls of one line, before it counts as failed. */
const MOST_CALLS = 8;

export class Developer implements AsyncDisposable {
  readonly #options: DeveloperOptions;
  readonly #given = new Set<string>();
  #args: readonly string[];
  #agent: Agent | undefined;
  #questions = 0;

  constructor(options: DeveloperOptions) {
    this.#options = options;
    this.#args = options.args;
  }

  /** Works through the lines of a day, in a session of its own; a line that fails does not keep the next from being called. */
  async work(lines: readonly string[]): Promise<readonly Line[]> {
    const worked: Line[] = [];
    for (const line of lines) worked.push(await this.#line(line));
    await this.#stop();
    return worked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  async #line(line: string): Promise<Line> {
    let [stops, again] = [0, 0];
    const before = this.#questions;
    const counted = (end: Pick<Line, "succeeded">): Line => ({
      questions: this.#questions - before,
      stops,
      again,
      ...end,
    });
    for (let calls = 1; calls <= MOST_CALLS; calls++) {
      const answer = await this.#call(line);
      const next = nextMove(answer, this.#given);
      this.#options.say(`${next.move}${"flag" in next ? ` ${next.flag}` : ""}: ${line}`);
      if (next.move === "done") return counted({ succeeded: true });
      if (next.move === "failed") {
        this.#options.say(answer.text);
        return counted({ succeeded: false });
      }
      if (next.move === "again") again++;
      else {
        stops++;
        await this.#stop();
        this.#given.add(next.flag);
        this.#args = withFlag(this.#args, next.flag);
      }
    }
    return counted({ succeeded: false });
  }

  async #call(command: string): Promise<Answer> {
    this.#agent ??= await this.#start();
    return await this.#agent.shell(command, () => {});
  }

  async #start(): Promise<Agent> {
    const { desk, takesForms, say } = this.#options;
    const onForm = (message: string) => {
      this.#questions++;
      say(`asked: ${message}`);
      return "always for this project";
    };
    const agent = Agent.stdio(desk.server(this.#args), takesForms ? { onForm } : {});
    await agent.connect();
    return agent;
  }

  async #stop(): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
    this.#agent = undefined;
  }
}
