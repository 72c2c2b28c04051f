/** Asks a person where the settings want it (S35), with what was allowed before (S36). */
import type { GrantSubject } from "../../base/command/grant_subject.ts";
import type { Logger } from "../../base/log.ts";
import { type Outcome, success } from "../../base/outcome.ts";
import { Consent, type ConsentOptions } from "../../consent/consent.ts";
import { wishText } from "../../consent/form.ts";
import type { KeptGrant } from "../../consent/kept/kept_grant.ts";
import { closedStateDirectory } from "../../system/replace/closed_state.ts";
import type { SessionRunner } from "../../process/command_runner.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import type { SandboxStatus } from "../../service/service.ts";
import type { Settings } from "../../settings/settings.ts";
import { absolutePath, placeOf, realPath } from "../../system/paths.ts";
import { homeOf } from "../../system/user_directories.ts";
import type { PathGrants } from "./allowing_runner.ts";
import { AskingRunner } from "./asking_runner.ts";
import { PathQuestions, type PathQuestionsOptions } from "./path_questions.ts";
import type { AuditLog } from "./audit_log.ts";
import { ProjectConsent } from "./kept_consent.ts";

export interface OpenConsentOptions {
  /** Runs what asks. */
  readonly runner: SessionRunner;
  readonly settings: Pick<Settings, "asks" | "auditLog">;
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Pick<SessionSandbox, "scopes" | "writable">;
  readonly status: SandboxStatus;
  /** Opens what is allowed; absent: paths are not asked for. */
  readonly grants?: PathGrants;
  /** Gets each question and answer; undefined: no log is wanted. */
  readonly audit: Outcome<AuditLog> | undefined;
  readonly log: Logger;
}

/** A runner, what asks for its commands, and the status with what was allowed. */
export interface AskedRunner {
  readonly runner: SessionRunner;
  readonly consent: Consent;
  readonly status: SandboxStatus;
}

/** Disposing `stack` ends the look at the file of what is kept. */
export function openConsent(options: OpenConsentOptions, stack: AsyncDisposableStack): AskedRunner {
  const { runner, settings: { asks }, status } = options;
  const audit = options.audit?.ok === true ? options.audit.value : undefined;
  const kept = openKept(options, audit, stack);
  const record: ConsentOptions["record"] = async (event) => {
    if (event.event === "use") void kept?.used(event.subject);
    return await audit?.consent(event) ?? success(undefined);
  };
  const consent = new Consent({ kinds: new Set(asks), kept, record });
  const lines = () => grantLines(asks, consent.session, kept);
  const paths = options.grants && pathQuestions({
    ...options,
    consent,
    grants: options.grants,
    onUse: (subject) => void kept?.used(subject),
  });
  return { runner: new AskingRunner(runner, consent, paths), consent, status: withLines(status, lines) };
}

function pathQuestions(
  { consent, grants, onUse, settings: { auditLog }, environment, log }:
    & OpenConsentOptions
    & Pick<PathQuestionsOptions, "consent" | "grants" | "onUse">,
): PathQuestions {
  const home = homeOf(environment);
  return new PathQuestions({
    consent,
    grants,
    onUse,
    home: home === undefined ? undefined : realPath(home),
    closed: auditLog === undefined ? [] : [placeOf(absolutePath(auditLog, Deno.cwd()))],
    log,
  });
}

/** Undefined: there is no place out of reach of commands, which is logged. */
function openKept(
  { environment, sandbox: { scopes, writable }, log }: OpenConsentOptions,
  audit: AuditLog | undefined,
  stack: AsyncDisposableStack,
): ProjectConsent | undefined {
  const directory = closedStateDirectory(environment, writable, "grants");
  if (directory === undefined) {
    log.warn("No answer is kept for a project: XDG_STATE_HOME or HOME names no place where commands cannot write");
    return undefined;
  }
  const onRevoked = ({ id, subject }: KeptGrant) => void audit?.consent({ event: "revoked", subject, grant: id });
  return stack.use(new ProjectConsent({ directory, scopes, onRevoked, log }));
}

/** Lines of `status`, each after a line break. */
function grantLines(
  asks: Settings["asks"],
  session: readonly GrantSubject[],
  kept: Pick<ProjectConsent, "grants"> | undefined,
): string {
  const shown = [
    ...session.map((subject) => `${wishText(subject)} (this session)`),
    ...kept?.grants().map(({ id, subject }) => `${wishText(subject)} (always, ${id})`) ?? [],
  ];
  const allowed = shown.length === 0 ? " nothing so far" : shown.map((one) => `\n  ${one}`).join("");
  return `\nA person is asked for ${asks.join(", ")} (--ask), and allowed:${allowed}`;
}

function withLines(status: SandboxStatus, lines: () => string): SandboxStatus {
  return { ...status, details: async () => `${await status.details?.() ?? status.summary}${lines()}` };
}
