/** The person at a client, for questions of our own (S35). */
import { failure, success } from "../../base/outcome.ts";
import type { ChoiceForm, Person } from "../../base/command/person.ts";
import { member } from "../../wire/json_value.ts";
import { type AskedClient, type Question, takes } from "./question.ts";

/** Asks the person at this client, for the commands of its call. */
export function personAt(client: AskedClient): Person {
  return {
    get canBeAsked() {
      return client.canAsk && takes(client.offers, formOf({ message: "", choices: [] }));
    },
    ask: async (form, signal) => {
      const answer = await client.ask(formOf(form), signal);
      if (!answer.ok) return answer;
      const chosen = member(member(answer.value, "content"), CHOICE);
      const isAccepted = member(answer.value, "action") === "accept" && typeof chosen === "string";
      return isAccepted ? success(chosen) : failure("The form was closed without an answer");
    },
  };
}

const CHOICE = "answer";

function formOf({ message, choices }: ChoiceForm): Question {
  return {
    method: "elicitation/create",
    params: {
      message,
      requestedSchema: {
        type: "object",
        properties: { [CHOICE]: { type: "string", title: "Allow it?", enum: choices, default: choices.at(-1) } },
        required: [CHOICE],
      },
    },
  };
}
