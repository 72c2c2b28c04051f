/** `doctor --policy FILE` (S37): what a policy file would hold, before it is rolled out. Nothing is run. */
import { messageOf, UserError } from "../../../base/errors.ts";
import { heldBy, summaryOfPolicy } from "../../../settings/policy/held.ts";
import { parsePolicy, type Policy } from "../../../settings/policy/policy.ts";
import { contentOf, POLICY_FILE } from "../../../settings/policy/policy_file.ts";
import { print } from "../../terminal/print.ts";

/** Resolves with the exit code; 1: no server would start with it, or a profile of it. @throws {UserError} when it cannot be read */
export async function doctorPolicy(file: string): Promise<number> {
  const parsed = await parsePolicy(file, bytesOf(file), Deno.uid());
  const mistakes = parsed.ok ? unusableProfiles(parsed.value) : parsed.problem;
  const lines = parsed.ok ? [`Policy ${summaryOfPolicy(parsed.value)}`, ...advice(parsed.value)] : [];
  const place = `It takes effect as ${POLICY_FILE}, if root alone can change the file and every directory above it`;
  await print([...lines, ...mistakes, ...mistakes.length === 0 ? [place] : [], ""].join("\n"));
  return mistakes.length === 0 ? 0 : 1;
}

function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  try {
    return contentOf(file);
  } catch (thrown) {
    throw new UserError(`Cannot read policy "${file}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Profiles of the file whose settings it refuses itself. */
function unusableProfiles(policy: Policy): readonly string[] {
  return [...policy.profiles.values()].flatMap((values) =>
    [...values].flatMap(([name, given]) => {
      const held = heldBy({ ...policy, support: undefined }, name, given);
      return held.ok ? [] : [`Cannot use ${given.source}: ${held.problem}`];
    })
  );
}

/** Ways around a forced network that the file leaves to users. */
function advice({ forced }: Policy): readonly string[] {
  const leavesSockets = forced.has("network") && !forced.has("unix-sockets");
  return leavesSockets
    ? [
      '"unix_sockets" is not forced: with --unix-sockets allow, commands reach Docker and others, which connect anywhere',
    ]
    : [];
}
