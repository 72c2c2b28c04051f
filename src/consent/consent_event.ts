/** What happens between a question and the use of a grant, for the audit log (S35, S36). */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import type { GrantSubject } from "../base/command/grant_subject.ts";
import type { Asker } from "./form.ts";

export type ConsentEvent =
  & { readonly subject: GrantSubject }
  & (
    | { readonly event: "question"; readonly id: string; readonly by: Asker; readonly way: "form" | "terminal" }
    /** `from`: where a person gave it. `reason`: why there was none, and it counts as `no`. */
    | {
      readonly event: "answer";
      readonly id: string;
      readonly answer: GrantAnswer;
      readonly from?: "client" | "terminal";
      readonly reason?: string;
    }
    /** A command uses what was granted. */
    | { readonly event: "use"; readonly by: Asker }
    /** `grant`: its id, where it was kept. */
    | { readonly event: "revoked"; readonly grant?: string }
  );
