/** Sizes that people's terminals give to those of operations: what the agent sees has its own size again afterwards. */
import type { Operation } from "../../operation/operation_record.ts";
import type { WindowSize } from "../protocol/messages.ts";

interface Sized {
  /** Before a person came. */
  readonly before: WindowSize;
  people: number;
}

export class PersonSizes {
  readonly #sized = new Map<Operation, Sized>();

  /** A person's terminal shows the operation. */
  async enter(operation: Operation, size: WindowSize): Promise<void> {
    const before = operation.screen?.size;
    if (before === undefined) return;
    const known = this.#sized.get(operation);
    if (known === undefined) this.#sized.set(operation, { before, people: 1 });
    else known.people++;
    await operation.resize(size);
  }

  /** It does no longer. */
  async leave(operation: Operation): Promise<void> {
    const known = this.#sized.get(operation);
    if (known === undefined || --known.people > 0) return;
    this.#sized.delete(operation);
    await operation.resize(known.before);
  }
}
