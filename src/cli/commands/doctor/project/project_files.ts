/** Names and small files of a project, which may be hostile: reads never wait or follow links out of it. */
import { withFileOpener } from "../../../../system/reading/file_opener.ts";
import { isFileError, readInside } from "../../../../system/reading/regular_file.ts";
import { expected } from "../../../../system/paths.ts";
import { isGenerated } from "../../../../sandbox/protect/nested_repositories.ts";

export interface ProjectDirectory {
  /** Absolute, below a canonical scope. */
  readonly path: string;
  /** The same from the scope; empty: the scope. */
  readonly below: string;
  readonly names: ReadonlySet<string>;
  /** The content of a file; undefined: there is no small regular one, or it is a link that leads out. */
  text(name: string): string | undefined;
}

/** Levels below the scope, and directories in all. */
const MOST_LEVELS = 2;
const MOST_DIRECTORIES = 200;
/** What is larger was not written by a person. */
const LARGEST_BYTES = 256 * 1024;

/** Names registries. */
const CARGO = ".cargo";

/** The directories of a scope, the outer ones first; those that tools make, and hidden ones but cargo's, are left out. */
export function lookAtProject(scope: string): readonly ProjectDirectory[] {
  const found: ProjectDirectory[] = [];
  let level = [""];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    const next: string[] = [];
    for (const below of level.slice(0, MOST_DIRECTORIES - found.length)) {
      const path = below === "" ? scope : `${scope}/${below}`;
      const entries = expected(() => [...Deno.readDirSync(path)]) ?? [];
      const names = new Set(entries.map(({ name }) => name));
      found.push({ path, below, names, text: reader(scope, path, names) });
      const inner = entries.filter(({ name, isDirectory }) =>
        isDirectory && (name === CARGO || !name.startsWith(".")) && !isGenerated(name)
      );
      next.push(...inner.map(({ name }) => below === "" ? name : `${below}/${name}`));
    }
    level = next.sort();
  }
  return found;
}

/** Reads each file once. */
function reader(scope: string, path: string, names: ReadonlySet<string>): ProjectDirectory["text"] {
  const known = new Map<string, string | undefined>();
  return (name) => {
    if (names.has(name) && !known.has(name)) known.set(name, readText(scope, `${path}/${name}`));
    return known.get(name);
  };
}

function readText(scope: string, path: string): string | undefined {
  try {
    const read = withFileOpener((opener) => readInside(scope, path, LARGEST_BYTES, opener));
    return read.kind === "read" ? new TextDecoder().decode(read.bytes) : undefined;
  } catch (thrown) {
    if (!isFileError(thrown)) throw thrown;
    return undefined;
  }
}
