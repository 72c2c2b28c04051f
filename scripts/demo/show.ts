import { Screen } from "./screen.ts";

/** One thing that is shown and checked. It fails by throwing. */
export interface Step<Stage> {
  readonly title: string;
  readonly play: (stage: Stage) => Promise<void>;
}

/** Flags of a demonstration's server: on a busy machine a step may take longer than a call waits by default. */
export const DEMO_FLAGS: readonly string[] = ["--inline-wait", "30000"];

/** The screen of this process: coloured on a terminal. */
export function ownScreen(): Screen {
  const encoder = new TextEncoder();
  return new Screen({
    colour: Deno.stdout.isTerminal() && !Deno.noColor,
    write: (text) => Deno.stdout.writeSync(encoder.encode(text)),
  });
}

/** Plays the steps in order, up to the first that fails. False when one did. */
export async function show<Stage extends { readonly screen: Screen }>(
  steps: readonly Step<Stage>[],
  stage: Stage,
  next: string,
): Promise<boolean> {
  const { screen } = stage;
  for (const [index, { title, play }] of steps.entries()) {
    screen.step(index + 1, title);
    try {
      await play(stage);
    } catch (error) {
      screen.bad(error instanceof Error ? error.message : String(error));
      screen.end(`Stopped at step ${index + 1} of ${steps.length}`, { good: false });
      return false;
    }
  }
  screen.end(`All ${steps.length} steps did what they say. ${next}`, { good: true });
  return true;
}
