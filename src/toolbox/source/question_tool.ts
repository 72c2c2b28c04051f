/** `question_ask`: a form of the client for the user (elicitation); a worker keeps the answer (K6). */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { truncate } from "../../base/text.ts";
import { shorten, visibleText } from "../../base/visible_text.ts";
import { type Question, type QuestionAnswer, takes } from "../../service/questions/question.ts";
import { errorResult, textResult } from "../../service/result/result_text.ts";
import type { CallContext } from "../../service/service.ts";
import { member } from "../../wire/json_value.ts";
import type { CallOf } from "../definition/groups.ts";
import { STORE_ANSWER } from "../definition/question.ts";
import type { WorkerLink } from "../link/worker_link.ts";
import { type ServerTool, textOf } from "./toolbox_source.ts";

const LONGEST_QUESTION = 4096;
const LONGEST_CHOICE = 200;
const MOST_CHOICES = 50;
const LONGEST_ANSWER = 10_000;

/** Builds the tool; `worker` stores questions and answers. */
export function questionTool(worker: Pick<WorkerLink, "call">): ServerTool {
  return async (_, args: CallOf<"question_ask">, { client, signal }: CallContext): Promise<CallToolResult> => {
    const question = questionOf(args);
    const message = String(question.params["message"]);
    if (message === "") return errorResult("The question is empty");
    if (client === undefined || !takes(client.offers, question)) {
      return textResult(
        `This client shows no forms, so the user was not asked. Ask in your reply, and wait: ${message}`,
      );
    }
    const answer = await client.ask(question, signal);
    const [action, text] = answerOf(answer);
    if (!answer.ok) return textResult(`The user was not reached: ${answer.problem}. Ask in your reply: ${message}`);
    const kept = { question: message, choices: args.choices, action, answer: text };
    const stored = await worker.call(STORE_ANSWER, kept, { signal });
    const note = stored.isError === true ? `\n[question_summary will not show it: ${textOf(stored)}]` : "";
    return textResult(`${spoken(action, text)}${note}`);
  };
}

function questionOf({ question, choices = [], default: suggested }: CallOf<"question_ask">): Question {
  const list = [...new Set(choices.map((one) => shorten(one, LONGEST_CHOICE)))];
  const usual = suggested === undefined ? undefined : shorten(suggested, LONGEST_CHOICE);
  const field = {
    type: "string",
    title: "Answer",
    ...list.length > 0 && { enum: list.filter((one) => one !== "").slice(0, MOST_CHOICES) },
    ...usual !== undefined && (list.length === 0 || list.includes(usual)) && { default: usual },
  };
  return {
    method: "elicitation/create",
    params: {
      message: truncate(visibleText(question).trim(), LONGEST_QUESTION),
      requestedSchema: { type: "object", properties: { answer: field }, required: ["answer"] },
    },
  };
}

/** `accept`, `decline` or `cancel`, and the text; undefined: there is none. */
type Answer = readonly [action: string, text: string | undefined];

function answerOf(answer: QuestionAnswer): Answer {
  if (!answer.ok) return ["cancel", undefined];
  const action = member(answer.value, "action");
  const text = member(member(answer.value, "content"), "answer");
  return [
    typeof action === "string" ? action : "cancel",
    text === undefined ? undefined : truncate(visibleText(String(text)), LONGEST_ANSWER),
  ];
}

function spoken(action: string, text: string | undefined): string {
  if (action === "accept" && text !== undefined) return `Answer: ${text}`;
  return action === "decline" ? "The user declined to answer." : "The user closed the question without an answer.";
}
