/** Asks a person where the settings want it (S35). */
import { type Outcome, success } from "../../base/outcome.ts";
import { Consent, type ConsentOptions } from "../../consent/consent.ts";
import type { SessionRunner } from "../../process/command_runner.ts";
import type { Settings } from "../../settings/settings.ts";
import { AskingRunner } from "./asking_runner.ts";
import type { AuditLog } from "./audit_log.ts";

export interface OpenConsentOptions {
  /** Runs what asks. */
  readonly runner: SessionRunner;
  readonly settings: Pick<Settings, "asks">;
  /** Gets each question and answer; undefined: no log is wanted. */
  readonly audit: Outcome<AuditLog> | undefined;
}

/** A runner, and what asks for its commands. */
export interface AskedRunner {
  readonly runner: SessionRunner;
  readonly consent: Consent;
}

export function openConsent({ runner, settings: { asks }, audit }: OpenConsentOptions): AskedRunner {
  const log = audit?.ok === true ? audit.value : undefined;
  const record: ConsentOptions["record"] = async (event) => await log?.consent(event) ?? success(undefined);
  const consent = new Consent({ kinds: new Set(asks), kept: undefined, record });
  return { runner: new AskingRunner(runner, consent), consent };
}
