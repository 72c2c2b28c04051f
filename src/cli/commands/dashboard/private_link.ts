/** A private file leads a browser to the page (V3), since every user can read the words of a program. */
import { undefinedFor } from "../../../base/errors.ts";
import { controlDirectories, isPrivateDirectory, makeDirectory } from "../../../control/place/control_directories.ts";

/** Of this program; it is never the name of a server's entry. */
const BEGINNING = "dashboard-";
const END = ".html";

export interface PrivateLink extends AsyncDisposable {
  readonly url: URL;
}

/** Makes the file; undefined: there is no private place for it. Files that killed programs left are removed. */
export async function privateLink(
  to: URL,
  environment: Readonly<Record<string, string>>,
): Promise<PrivateLink | undefined> {
  for (const place of controlDirectories(environment)) {
    const made = await makeDirectory(place);
    if (!made.ok || !await isPrivateDirectory(place.path)) continue;
    await removeLeft(place.path);
    const path = `${place.path}/${BEGINNING}${Deno.pid}${END}`;
    await Deno.writeTextFile(path, linkText(to), { createNew: true, mode: 0o600 });
    return {
      url: new URL(`file://${encodeURI(path)}`),
      async [Symbol.asyncDispose]() {
        await Deno.remove(path).catch(undefinedFor(Deno.errors.NotFound));
      },
    };
  }
  return undefined;
}

async function removeLeft(directory: string): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.startsWith(BEGINNING) || !name.endsWith(END)) continue;
    const pid = name.slice(BEGINNING.length, -END.length);
    const isAlive = pid !== `${Deno.pid}` && await Deno.lstat(`/proc/${pid}`).catch(undefinedFor(Error)) !== undefined;
    if (!isAlive) await Deno.remove(`${directory}/${name}`).catch(undefinedFor(Error));
  }
}

function linkText({ href }: URL): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${href}">\n`;
}
