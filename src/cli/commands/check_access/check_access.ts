/** `check-access` (L10): whether commands of a server with these settings may use a path or reach a host, and why. */
import { compose } from "../../../app/compose_service.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { parseNameList } from "../../../base/network/name_list.ts";
import { shorten } from "../../../base/visible_text.ts";
import { lookAsSeen } from "../../../sandbox/denials/inspect_path.ts";
import { type Access, ACCESSES } from "../../../sandbox/denials/policy_query.ts";
import type { ProtectedPath } from "../../../sandbox/protect/protected_paths.ts";
import { absolutePath, existingPart, isWithin, normalPath } from "../../../system/paths.ts";
import { closedBy, heldFlags } from "../../../settings/policy/held.ts";
import type { Policy } from "../../../settings/policy/policy.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { homeOf } from "../../../system/user_directories.ts";
import { print } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { hostVerdict, pathVerdict, type Verdict } from "./access_rule.ts";

/** A verdict about something that was named. */
interface Checked extends Verdict {
  readonly subject: string;
  readonly access: string;
  /** What the machine's policy says of a flag that would open it, or that it holds; absent: there is none. */
  readonly policy?: string;
}

/** Resolves with the exit code; 1: they may not. @throws {UsageError} when the words are wrong, {UserError} when the server would not start */
export async function checkAccess(context: CommandContext): Promise<number> {
  const [named, word = "read", ...more] = context.operands;
  if (named === undefined || named === "") throw new UsageError("Name a path or a host, as in check-access /etc/hosts");
  if (more[0] !== undefined) throw new UsageError(`Cannot use "${more[0]}": check-access takes one path or host`);
  const access = ACCESSES.find((one) => one === word);
  if (access === undefined) throw new UsageError(`Cannot check "${word}": expected one of ${ACCESSES.join(", ")}`);
  const checked = held(context.settings.policy, await check(context, named, access));
  await print(context.flags.has("json") ? `${JSON.stringify(checked, null, 2)}\n` : text(checked));
  return checked.allowed ? 0 : 1;
}

async function check(context: CommandContext, named: string, access: Access): Promise<Checked> {
  const { settings, warnings, environment } = context;
  await using log = openRunLog({ settings, warnings, environment });
  const quiet = { ...settings, pool: false, hotReload: false, mcpConfigs: [] };
  await using program = await compose({ settings: quiet, environment, log: log.logger });
  const { sandbox, runner } = program;
  const policy = await runner.policy;
  if (policy === undefined) throw new UserError("Cannot say: only the sandbox of Linux has rules that decide it");
  const host = access !== "read" || isPath(named) ? undefined : hostOf(named);
  if (host !== undefined) {
    return { subject: named, access: "connect to", ...hostVerdict(host, policy.confinement) };
  }
  const spelled = normalPath(absolutePath(named.replace(/^~(?=\/|$)/, environment["HOME"] ?? "~"), Deno.cwd()));
  const place = await lookAsSeen(spelled, policy) ?? { path: spelled, kind: undefined };
  const exact = place.kind === "directory" && access === "read"
    ? "list"
    : place.kind === undefined && access === "write"
    ? "create"
    : access;
  const verdict = pathVerdict(place, exact, {
    policy,
    home: homeOf(environment),
    scopes: sandbox.scopes.map(({ path }) => path),
    temporary: sandbox.directories.temporary,
    sensitive: sandbox.sensitive,
    isProtected: (path) => sandbox.guard?.protected.some((one) => covers(one, path)) === true,
  });
  return { subject: spelled, access: exact, ...verdict };
}

/** Without flags that the policy refuses. */
function held(policy: Policy | undefined, checked: Checked): Checked {
  if (policy === undefined) return checked;
  const holds = `policy "${policy.file}" holds`;
  if (checked.access !== "connect to") return { ...checked, policy: holds, ...heldFlags(policy, checked.flags) };
  const refused = checked.allowed ? undefined : closedBy(policy, "network", checked.subject);
  return { ...checked, policy: refused ?? holds, ...refused !== undefined && { flags: [] } };
}

function covers(one: ProtectedPath, path: string): boolean {
  if (one.fileOnly) return path === one.path;
  const isWritable = one.writable?.some((name) => isWithin(path, `${one.path}/${name}`)) === true;
  return isWithin(path, one.path) && !isWritable;
}

function text({ subject, access, allowed, rule, flags, policy }: Checked): string {
  const advice = flags.length === 0 ? "" : `. A person can allow it with ${shorten(flags.join(" or "))}`;
  const holds = policy === undefined ? "" : `. The ${policy}`;
  return `${allowed ? "yes" : "no"}: ${access} ${shorten(subject)}: ${shorten(rule)}${advice}${holds}\n`;
}

/** A host has a dot, and no file has its name; the address of a page is refused as one. */
function isPath(named: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(named)) return false;
  const path = absolutePath(named, Deno.cwd());
  return /^[/.~]|^[^.:]*$|\//.test(named) || existingPart(path) === path;
}

/** @throws {UsageError} when it is none */
function hostOf(named: string): { readonly host: string; readonly port: number | undefined } {
  const parsed = parseNameList(named);
  if (!parsed.ok) throw new UsageError(`Cannot check "${shorten(named)}": ${parsed.problem}`);
  const [first, ...others] = parsed.value;
  if (first === undefined || first.kind === "below" || others.some(({ name }) => name !== first.name)) {
    throw new UsageError(`Cannot check "${shorten(named)}": name one path or one host`);
  }
  return { host: first.name, port: others.length === 0 ? first.port : undefined };
}
