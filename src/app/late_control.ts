/** The private socket of a server (X24), made once its client has an answer, so that a start does not wait for it. */
import type { WaitingQuestions } from "../base/command/grant_answer.ts";
import { messageOf } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import { type ShownConnection, ShownConnections } from "../control/server/shown_connections.ts";
import { statusLine } from "../service/result/closing_line.ts";
import type { Service, ToolSource } from "../service/service.ts";
import type { Settings } from "../settings/settings.ts";
import type { AuditLog } from "./runner/audit_log.ts";
import { isInOpenTree, openTrees } from "./writable_trees.ts";

export interface LateControlOptions {
  readonly settings: Pick<Settings, "http" | "sandbox" | "undo">;
  /** Absent: there is none. */
  readonly audit?: Pick<AuditLog, "killed" | "path"> | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly service: Pick<Service, "scope" | "settings" | "log"> & ShownConnection;
  /** The servers behind this one; undefined: there are none. */
  readonly behind: { readonly source: Pick<ToolSource, "status"> } | undefined;
  /** Absent: the server asks nothing. */
  readonly questions?: WaitingQuestions | undefined;
}

/** Milliseconds; an immediate first call is answered before. */
const AFTER_MS = 150;

export class LateControl implements AsyncDisposable {
  /** The connections there are; at first the service itself. */
  readonly shown = new ShownConnections();
  readonly #options: LateControlOptions;
  #opening: Promise<AsyncDisposable | undefined> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LateControlOptions) {
    this.#options = options;
    this.shown.add(options.service);
  }

  /** Makes it soon, once; a server without it only cannot be seen by people. */
  begin(): void {
    if (Deno.build.os !== "linux") return;
    this.#timer ??= setTimeout(() => {
      this.#opening = this.#open().catch((thrown: unknown) => this.#warn(messageOf(thrown)));
    }, AFTER_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await (await this.#opening)?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<AsyncDisposable | undefined> {
    const { settings, environment, questions, audit, behind, service } = this.#options;
    const { scope: { roots: scopes }, settings: { sandbox }, log } = service;
    const { openControl } = await import("../control/server/open_control.ts");
    const open = settings.sandbox.enforce ? openTrees(settings.sandbox, environment) : [];
    const opened = await openControl({
      environment,
      isOpen: (path) => isInOpenTree(path, open),
      log,
      server: {
        facts: {
          pid: Deno.pid,
          version: VERSION,
          mode: settings.http === undefined ? "stdio" : "http",
          scopes,
          ...audit !== undefined && { auditLog: audit.path },
          ...settings.undo.isOn && { undo: true },
        },
        describe: async () => {
          const lines = await behind?.source.status?.();
          return {
            sandbox: await (sandbox.details?.() ?? sandbox.summary),
            ...lines !== undefined && { behind: lines },
          };
        },
        connections: this.shown,
        describeEnd: statusLine,
        ...questions !== undefined && { questions },
        ...audit !== undefined && { auditKill: ({ id, tool }) => audit.killed({ id, tool }) },
      },
    });
    return opened.ok ? opened.value : this.#warn(opened.problem);
  }

  #warn(problem: string): undefined {
    this.#options.service.log.warn(`People cannot attach to this server: it has no socket: ${problem}`);
  }
}
