/**
 * The bearer token of the HTTP server (H8): a private file in the user's state directory, created once, so that clients
 * are set up once. Commands cannot read it and therefore begin no sessions of their own.
 */
import { stateDirectory } from "../../system/user_directories.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { isPrivate, writePrivately } from "../../system/replace/private_file.ts";
import { isInOpenTree } from "../writable_trees.ts";

/** 256 bits, in hexadecimal digits. */
const TOKEN_REGEXP = /^[0-9a-f]{64}$/;
const RANDOM_BYTES = 32;

/**
 * Reads the token, or creates one if there is none.
 * @throws {UserError} when it cannot be kept private
 */
export async function httpToken(
  environment: Readonly<Record<string, string>>,
  openTrees: readonly string[],
): Promise<{ readonly path: string; readonly token: string }> {
  const directory = stateDirectory(environment);
  if (directory === undefined) {
    throw new UserError("Cannot keep a token: neither XDG_STATE_HOME nor HOME names a directory");
  }
  if (isInOpenTree(directory, openTrees)) {
    throw new UserError(
      `Cannot keep a token in "${directory}": commands can write there. Choose another scope, or set XDG_STATE_HOME`,
    );
  }
  const path = `${directory}/http_token`;
  try {
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    await checkDirectory(directory);
    const token = await read(path) ?? await make(path);
    if (token === undefined) throw new UserError(`Cannot use the token file "${path}": it was removed just now`);
    return { path, token };
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(`Cannot use the token file "${path}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Refuses a directory that another user could put a token into. */
async function checkDirectory(directory: string): Promise<void> {
  const { uid, mode } = await Deno.stat(directory);
  if (uid === Deno.uid() && ((mode ?? 0) & 0o022) === 0) return;
  throw new UserError(
    `Cannot keep a token in "${directory}": it must be a directory of yours that no other user can write to (0700)`,
  );
}

async function read(path: string): Promise<string | undefined> {
  try {
    const found = await Deno.lstat(path);
    if (!found.isFile || !isPrivate(found)) {
      throw new UserError(
        `Cannot use the token file "${path}": it must be a file of yours that no other user can read (0600)`,
      );
    }
    const token = (await Deno.readTextFile(path)).trim();
    if (!TOKEN_REGEXP.test(token)) {
      throw new UserError(
        `Cannot use the token file "${path}": it does not hold 64 hexadecimal digits. Remove it to get a new one`,
      );
    }
    return token;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/**
 * Creates a token under another name first, so that no process reads half of it. If several servers start together, the
 * first to link its file creates the token for all; undefined: the file was removed at once.
 */
async function make(path: string): Promise<string | undefined> {
  const token = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)).toHex();
  try {
    await writePrivately(path, `${token}\n`, { place: Deno.link });
    return token;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AlreadyExists) return await read(path);
    throw thrown;
  }
}
