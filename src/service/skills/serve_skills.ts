/** The requests of the extension `io.modelcontextprotocol/skills` (Q6, SEP-2640). */
import type { Result, Server } from "@modelcontextprotocol/server";
import { shownValue } from "../../base/text.ts";
import { member } from "../../wire/json_value.ts";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { pageAfter } from "../../wire/pages.ts";
import type { ResourceUse } from "../resources/resources.ts";
import type { Service } from "../service.ts";
import { ANYTHING, textMember } from "../sdk/wrong_parameters.ts";
import type { SkillEntries } from "../resource_source.ts";

/** Skills on one page: each may have hundreds of files. */
const SKILLS_AT_ONCE = 50;
const CHILDREN_AT_ONCE = 200;
/** How long an answer holds is not known, and other clients may have other skills. */
const NOT_KEPT = { ttlMs: 0, cacheScope: "private" } as const;

/** The skills that this server offers; undefined: none. */
export function skillsOf({ resources }: Pick<Service, "resources">): SkillEntries | undefined {
  return resources.find(({ skills }) => skills !== undefined)?.skills;
}

/** Answers them. */
export function serveSkills(server: Server, skills: SkillEntries, use: ResourceUse): void {
  const serve = (method: string, answer: (params: unknown) => Promise<Result>) => {
    server.setRequestHandler(method, { params: ANYTHING }, (params) => {
      // A change of skills is a change of the list of resources.
      use.listed = true;
      return answer(params);
    });
  };
  serve("skills/list", async (params) => {
    const all = await skills.entries();
    const { items, ...next } = pageAfter(cursorOf(params), { all, size: SKILLS_AT_ONCE, keyOf: ({ uri }) => uri });
    return { skills: items, ...next, ...NOT_KEPT };
  });
  serve("skills/get", async (params) => {
    const uri = textMember(params, "uri");
    const skill = await skills.entry(uri);
    if (skill === undefined) throw invalid(`No skill is served at ${shownValue(uri)}; "skills/list" names all`);
    return { skill, ...NOT_KEPT };
  });
  serve("resources/directory/read", async (params) => {
    const uri = textMember(params, "uri");
    const all = await skills.children(uri);
    if (all === undefined) throw invalid(`${shownValue(uri)} is not a directory resource`);
    const cursor = cursorOf(params);
    const { items, ...next } = pageAfter(cursor, { all, size: CHILDREN_AT_ONCE, keyOf: (one) => one.uri });
    // The text of the extension leaves these fields out here; its official client asks for them.
    return { resources: items, ...next, ...NOT_KEPT };
  });
}

function cursorOf(params: unknown): string | undefined {
  return member(params, "cursor") === undefined ? undefined : textMember(params, "cursor");
}

function invalid(message: string): RequestError {
  return new RequestError(RequestErrorCode.InvalidParams, message);
}
