/** S15 and Q01: more calls and steps at once than any client makes. */
import { until } from "../../_support/deadline.ts";
import type { Scene, Way } from "../frame/attack.ts";
import { exists } from "../../_support/workbench.ts";
import { driven } from "../frame/stage.ts";

/** Sends so many calls at once, each with an answer of its own; says which of `expected` answers is not as it should be. */
async function answersAreWrong(scene: Scene, calls: number, expected: number): Promise<string | undefined> {
  const { running, directory } = scene;
  const answers = await Promise.all(
    Array.from({ length: calls }, (_, index) =>
      running.call("sandboxed_shell", {
        command: `echo answer $((${index} * 7))`,
        working_directory: directory,
        execution_mode: "Synchronous",
        timeout_seconds: 300,
      }, { deadline: 400_000 })),
  );
  for (let index = 0; index < expected; index++) {
    if (!new RegExp(`^answer ${index * 7}$`, "m").test(answers[index]?.text ?? "")) {
      return `call ${index} of ${calls} was answered: ${answers[index]?.text.slice(0, 200)}`;
    }
  }
  return undefined;
}

const CALLS = { long: 1_000, brief: 250 };

export const MANY_CALLS: Way = {
  does: driven((scene) => {
    const calls = scene.brief ? CALLS.brief : CALLS.long;
    return answersAreWrong(scene, calls, calls);
  }),
  // One more than there are: it must be missed.
  control: driven((scene) => answersAreWrong(scene, 10, 11)),
};

/** A sequence may have no more. */
const STEPS = 1_000;
/** What each writes. */
const STEP = "step.";

export const MANY = {
  name: "many",
  description: "Steps, in the background.",
  command: "sequence",
  sequence: Array.from({ length: STEPS }, () => ({
    tool: "sandboxed_shell",
    args: { command: `printf ${STEP} >> steps` },
  })),
  step_delay_ms: 0,
};

/** Begins a sequence of so many steps and cancels it while it runs, on a server that has it and waits for no steps. */
async function goesOn(
  { running, scope }: Scene,
  { cancel }: { readonly cancel: boolean },
): Promise<string | undefined> {
  const { operation } = await running.call("many");
  const operation_id = operation?.operation_id ?? "";
  await until(() => exists(`${scope}/steps`), 20_000, "the first step");
  if (cancel) await running.call("cancel", { operation_id });
  else await running.call("status");
  const steps = async () => (await Deno.stat(`${scope}/steps`)).size;
  const size = await steps();
  if (size >= STEPS * STEP.length) throw new Error("All steps had ended before the cancel");
  await running.shell("true");
  await running.shell("true");
  const grows = await until(
    async () => await steps() > size || undefined,
    cancel ? 50 : 10_000,
    "another step",
  ).catch((thrown) => {
    if (cancel && thrown instanceof Error) return undefined;
    throw thrown;
  });
  if (!cancel) await running.call("cancel", { operation_id });
  return grows === true ? "the steps go on" : undefined;
}

export const MANY_STEPS: Way = {
  does: driven((scene) => goesOn(scene, { cancel: true })),
  control: driven((scene) => goesOn(scene, { cancel: false })),
};
