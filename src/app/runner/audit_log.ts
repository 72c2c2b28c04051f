/**
 * `--audit-log FILE` (S18): every command, and every call of a native tool or of another server's, has a JSON line before
 * it runs and one with its end. The log fails closed. A server whose log cannot be opened does not start, and a command
 * that cannot be written there is not run. The file must not lie where commands can write.
 */
import { encodeText, truncateCounting } from "../../base/text.ts";
import type { GrantSubject } from "../../base/command/grant_subject.ts";
import type { NetworkUse } from "../../base/command/network_use.ts";
import type { ConsentEvent } from "../../consent/consent_event.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { shorten } from "../../base/visible_text.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { absolutePath, isWithin, parentOf, realPath } from "../../system/paths.ts";
import type { CommandRequest } from "../../process/command_runner.ts";
import type { AuditedCall, CallOutcome } from "../../service/run/call_audit.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import { redactFields } from "../../logging/redact.ts";

/** One command, as logged. */
export interface AuditedCommand extends Pick<CommandRequest, "run" | "directory"> {
  readonly operation: NonNullable<CommandRequest["operation"]>;
}

export interface AuditLogOptions {
  /** As typed; relative to `directory`. */
  readonly file: string;
  readonly directory: string;
  /** Canonical trees that commands can write to. */
  readonly open: readonly string[];
  /** What the machine holds this server to, the first line of its session; absent: nothing, and no such line is written. */
  readonly policy?: Pick<Policy, "file" | "fingerprint"> | undefined;
  readonly log: Logger;
  /** Absent: the clock. */
  readonly now?: () => Date;
}

/** The longest word of a command line that is written whole, in characters. */
const LONGEST_WORD = 4096;

export class AuditLog implements Disposable {
  readonly #file: Deno.FsFile;
  /** Absolute. */
  readonly path: string;
  readonly #options: AuditLogOptions;
  readonly #session = crypto.randomUUID().slice(0, 8);
  /** The last write was cut off: the next one begins a new line. */
  #torn = false;
  /** The write that was asked for last. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(file: Deno.FsFile, path: string, options: AuditLogOptions) {
    this.#file = file;
    this.path = path;
    this.#options = options;
    options.log.info("Audit log", { file: path, auditSession: this.#session });
  }

  /** Opens it for appending; a new file gets mode 0600. The problem says why it is unsuitable. */
  static async open(options: AuditLogOptions): Promise<Outcome<AuditLog>> {
    const spelled = absolutePath(options.file, options.directory);
    const refuse = (why: string) => failure(`Cannot use "${options.file}" as the audit log: ${why}`);
    const directory = realPath(parentOf(spelled));
    if (directory === undefined) return refuse("its directory does not exist");
    const name = spelled.slice(spelled.lastIndexOf("/") + 1);
    const path = `${directory === "/" ? "" : directory}/${name}`;
    if (name === "" || name === "." || name === "..") return refuse("it does not name a file");
    if (options.open.some((tree) => isWithin(path, tree))) {
      return refuse("commands can write there, so they could change it. Choose a place outside the scope");
    }
    try {
      const file = await openOwn(path);
      if (!file.ok) return refuse(file.problem);
      const log = new AuditLog(file.value, path, options);
      const { policy } = options;
      if (policy !== undefined) await log.#write("policy", { file: policy.file, sha256: policy.fingerprint });
      return success(log);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return refuse(error.message);
    }
  }

  /** Before it runs; the problem is why it must not: a command that cannot be written here is not run. */
  begin(command: AuditedCommand): Promise<Outcome<void>> {
    return this.#before("start", "run the command", wordsOf(command));
  }

  /** Before it is typed: its size alone (it may be a password). `by`: absent: the client. The problem forbids it. */
  input({ operation: { id, tool } }: AuditedCommand, bytes: number, by?: "person"): Promise<Outcome<void>> {
    return this.#before("input", "type", { operation: id, tool, bytes, ...by !== undefined && { by } });
  }

  end(command: AuditedCommand, end: CommandEnd): Promise<void> {
    return this.#afterwards("end", { ...wordsOf(command), ...endFields(end) });
  }

  /** What became of a name or connection of a command's network by name. */
  network({ operation: { id, tool } }: Pick<AuditedCommand, "operation">, use: NetworkUse): Promise<void> {
    const { name, port, address, bytesOut, bytesIn, secrets = [], refused } = use;
    return this.#afterwards("network", {
      operation: id,
      tool,
      name: shorten(name),
      ...port !== undefined && { port },
      ...address !== undefined && { address },
      ...secrets.length > 0 && { put_in: secrets },
      ...refused === undefined ? { bytes_out: bytesOut, bytes_in: bytesIn } : { refused: refused.reason },
    });
  }

  /** Before the user's ssh agent signs (S42); the problem is why it must not. */
  signature({ operation: { id, tool } }: Pick<AuditedCommand, "operation">, signed: object): Promise<Outcome<void>> {
    return this.#before("signature", "sign", { operation: id, tool, ...signed });
  }

  /** A question to the person, its answer, or the use of what it granted (S35); nothing holds that is not written. */
  consent(event: ConsentEvent): Promise<Outcome<void>> {
    const { event: kind, subject, ...rest } = event;
    const by = "by" in rest ? { operation: rest.by.operation, tool: rest.by.tool } : {};
    const { by: _, ...facts } = { by: undefined, ...rest };
    return this.#before(EVENT_NAMES[kind], "allow it", { ...by, ...subjectFields(subject), ...facts });
  }

  /** A person ends an operation, even if the line cannot be written. */
  killed({ id, tool }: AuditedCommand["operation"]): Promise<void> {
    return this.#afterwards("kill", { operation: id, tool, by: "person" });
  }

  /** The same for a call: names only, since its arguments are the server's business and may be secrets. */
  beginCall(call: AuditedCall): Promise<Outcome<void>> {
    return this.#before("start", "run the call", namesOf(call));
  }

  endCall(call: AuditedCall, outcome: CallOutcome): Promise<void> {
    return this.#afterwards("end", { ...namesOf(call), outcome });
  }

  async #before(event: string, what: string, fields: object): Promise<Outcome<void>> {
    try {
      await this.#write(event, fields);
      return success(undefined);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#complain(error);
      return failure(
        `Cannot ${what}: it cannot be written to the audit log "${this.path}" (${error.message}), ` +
          "and this server runs nothing that is not written there",
      );
    }
  }

  async #afterwards(event: string, fields: object): Promise<void> {
    try {
      await this.#write(event, fields);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#complain(error); // it has run; the next one is refused while this lasts
    }
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }

  /** One write a line: the kernel appends it whole, also when several servers share the file. */
  async #write(event: string, fields: object): Promise<void> {
    const time = (this.#options.now?.() ?? new Date()).toISOString();
    const line = redactFields({ time, session: this.#session, event, ...fields });
    // One after the other: only then is it known whether the line before was written whole.
    const turn = Promise.allSettled([this.#turn]).then(() => this.#append(`${JSON.stringify(line)}\n`));
    this.#turn = turn;
    await turn;
  }

  async #append(line: string): Promise<void> {
    const bytes = encodeText(`${this.#torn ? "\n" : ""}${line}`);
    const written = await this.#file.write(bytes);
    this.#torn = written !== bytes.length;
    if (this.#torn) throw new Error(`Only ${written} of ${bytes.length} bytes were written`);
  }

  #complain(error: Error): void {
    this.#options.log.error("Cannot write the audit log", { file: this.path, error: messageOf(error) });
  }
}

/** The events of consent, as they are called in the log. */
const EVENT_NAMES = { question: "question", answer: "answer", use: "grant_used", revoked: "grant_revoked" } as const;

function subjectFields(subject: GrantSubject): object {
  if (subject.kind === "network") return { access: "network", name: shorten(subject.host), port: subject.port };
  if (subject.kind === "ssh") {
    const { hostKey, account, key, name } = subject;
    return { access: "ssh", key, host_key: hostKey, user: account, ...name !== "" && { name: shorten(name) } };
  }
  return { access: subject.kind, path: truncateCounting(subject.path, LONGEST_WORD) };
}

function wordsOf({ operation: { id, tool }, run, directory }: AuditedCommand): object {
  const words = "shell" in run
    ? { shell: truncateCounting(run.shell, LONGEST_WORD) }
    : { argv: run.argv.map((word) => truncateCounting(word, LONGEST_WORD)) };
  return { operation: id, tool, ...words, cwd: directory };
}

function namesOf({ operation: { id, tool }, server, called, path }: AuditedCall): object {
  return {
    operation: id,
    tool,
    ...server !== undefined && { server },
    ...called !== undefined && { called: shorten(called) },
    ...path !== undefined && { path: truncateCounting(path, LONGEST_WORD) },
  };
}

function endFields(end: CommandEnd): object {
  const denials = end.denials === undefined ? {} : { denials: end.denials };
  if (end.kind === "exited") return { exit_code: end.code, ...denials };
  return { ...end.kind === "signalled" ? { signal: end.signal } : { not_started: end.message }, ...denials };
}

/** A new file, or ours alone. Links cannot be refused, so the opened file must be the one at the path. */
async function openOwn(path: string): Promise<Outcome<Deno.FsFile>> {
  try {
    return success(await Deno.open(path, { append: true, createNew: true, mode: 0o600 }));
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const seen = await Deno.lstat(path);
  if (!seen.isFile) return failure("it is a link, or no regular file");
  if (seen.uid !== Deno.uid()) return failure("it belongs to another user");
  if (((seen.mode ?? 0) & 0o077) !== 0) return failure("other users can read or change it (chmod 600)");
  if (seen.nlink !== 1) return failure("it has a second name (hard link), which may be where commands can write");
  const file = await Deno.open(path, { append: true });
  const opened = await file.stat();
  if (opened.dev === seen.dev && opened.ino === seen.ino) return success(file);
  file.close();
  return failure("it was replaced while it was opened");
}
