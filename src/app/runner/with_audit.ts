import { UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { SessionRunner } from "../../process/session_runner.ts";
import type { SessionSandbox } from "../../sandbox/session_sandbox.ts";
import type { Settings } from "../../settings/settings.ts";
import { AuditLog } from "./audit_log.ts";
import { AuditedRunner } from "./audited_runner.ts";

interface Audited {
  readonly settings: Pick<Settings, "auditLog">;
  readonly sandbox: Pick<SessionSandbox, "writable">;
  readonly log: Logger;
}

/** A runner, and the log that it writes to; undefined: none is wanted. */
export interface WithAudit {
  readonly runner: SessionRunner;
  readonly audit: AuditLog | undefined;
}

/** The runner, behind the audit log where one is wanted. @throws {UserError} When the log cannot be used. */
export async function withAudit(runner: SessionRunner, { settings, sandbox, log }: Audited): Promise<WithAudit> {
  if (settings.auditLog === undefined) return { runner, audit: undefined };
  const { writable: open } = sandbox;
  const audit = await AuditLog.open({ file: settings.auditLog, directory: Deno.cwd(), open, log });
  if (audit.ok) return { runner: new AuditedRunner(runner, audit.value), audit: audit.value };
  await runner[Symbol.asyncDispose]();
  throw new UserError(audit.problem);
}
