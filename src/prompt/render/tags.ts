/** Tags of templates: partials, roles, and includes that are counted (Q2, Q4, Q5). */
import type { Context, Emitter, Liquid, TagToken, TopLevelToken } from "liquidjs";
import { truncate } from "../../base/text.ts";
import type { Budget } from "./budget.ts";
import type { LiquidModule } from "./liquid.ts";

export const ROLES = ["user", "assistant"] as const;
export type Role = typeof ROLES[number];

/** The text of templates, counted as it grows: captured text is output too. */
export class CountedText implements Emitter {
  buffer = "";
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(value: unknown): void {
    const text = value === undefined || value === null ? "" : Array.isArray(value) ? value.join("") : String(value);
    this.#budget.use(text.length);
    this.buffer += text;
  }
}

/** Removes the layout tags, and adds our own tags and the limits. */
export function limitedTags(module: LiquidModule, liquid: Liquid): void {
  for (const name of ["layout", "block"]) delete liquid.tags[name];
  liquid.registerTag("partial", { render: () => "" });
  liquid.registerTag("role", roleTag(module));
  liquid.registerTag("render", counted(module.RenderTag));
  liquid.registerTag("include", counted(module.IncludeTag));
}

/** The tag, with a limit on the nesting of partials. */
function counted(Base: LiquidModule["RenderTag"] | LiquidModule["IncludeTag"]): typeof Base {
  // Both classes have the same constructor, and their types differ in private parts only.
  return class extends (Base as LiquidModule["IncludeTag"]) {
    override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const budget = budgetOf(context);
      budget.enter();
      yield* super.render(context, emitter) as Generator<unknown, void, unknown>;
      budget.leave();
    }
  } as typeof Base;
}

/** `{% role "assistant" %}`: the text that follows is a message of that role. */
function roleTag({ Tag }: LiquidModule): Parameters<Liquid["registerTag"]>[1] {
  return class extends Tag {
    readonly #role: string;

    constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid) {
      super(token, rest, liquid);
      this.#role = token.args.trim().replaceAll(/^["']|["']$/g, "");
      if (!ROLES.some((one) => one === this.#role)) {
        throw new Error(`A role must be one of ${ROLES.join(", ")}, found "${truncate(this.#role, 40)}"`);
      }
    }

    override render(context: Context, emitter: Emitter): void {
      emitter.write(`${budgetOf(context).mark}${this.#role}\n`);
    }
  };
}

/** The budget is the limiter of every context that this file makes. */
export function budgetOf({ memoryLimit }: Context): Budget {
  return memoryLimit as unknown as Budget;
}
