/** Repositories that a person accepted with `accept` meanwhile (S24): paths and their contents then. */
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import { isAccepted } from "../../../sandbox/git_config/accepted_lines.ts";
import type { Obeyed } from "../../../sandbox/git_config/repository_form.ts";
import { readTextIfRegular } from "../../../system/reading/regular_file.ts";

const LARGEST_BYTES = 1024 * 1024;

export interface AcceptedRepositoriesOptions {
  readonly looker: Pick<WatchingLooker, "lookAt">;
  /** The person's file, which no command can write; undefined: there is none. */
  readonly file: string | undefined;
}

export class AcceptedRepositories {
  readonly #options: AcceptedRepositoriesOptions;

  constructor(options: AcceptedRepositoriesOptions) {
    this.#options = options;
  }

  /** Whether the current content of the path was accepted. Rarely called, so the file is read each time. */
  has(path: string, obeyed: readonly Obeyed[]): boolean {
    const { looker, file } = this.#options;
    const facts = looker.lookAt(path);
    if (file === undefined || facts === undefined) return false;
    return isAccepted(readTextIfRegular(file, LARGEST_BYTES) ?? "", { path, identity: facts, obeyed });
  }
}
