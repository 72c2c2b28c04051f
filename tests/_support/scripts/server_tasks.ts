/** Tasks on the data of third-party servers, of many calls each, and those servers. */
import type { Workbench } from "../workbench.ts";
import { numbers, type ScriptTask } from "./script_task.ts";

const SERVER = await Deno.readTextFile(new URL("../../fixtures/data_server.py", import.meta.url));

/** The servers `people` and `orders`, whose program `write` writes. */
export function dataServers(write: Workbench["write"]): Readonly<Record<string, object>> {
  const path = write("data_server.py", SERVER);
  return Object.fromEntries(["people", "orders"].map((kind) => [kind, { command: "python3", args: [path, kind] }]));
}

interface Order {
  readonly amount: number;
}

const join: ScriptTask = {
  name: "join of two servers' data on 40 people",
  code: () =>
    `const { people } = JSON.parse((await tools.people_count()).text);
const totals = {};
await Promise.all(Array.from({ length: people }, async (_, person) => {
  const [who, what] = await Promise.all([tools.people_get({ person }), tools.orders_of_person({ person })]);
  const { city } = JSON.parse(who.text);
  for (const { amount } of JSON.parse(what.text).orders) totals[city] = (totals[city] ?? 0) + amount;
}));
return Object.entries(totals).sort();`,
  plain: async (_, turn) => {
    const [told = ""] = await turn(["people_count", {}]);
    const people = numbers(JSON.parse(told).people);
    const texts = await turn(
      ...people.map((person) => ["people_get", { person }] as const),
      ...people.map((person) => ["orders_of_person", { person }] as const),
    );
    const totals: Record<string, number> = {};
    for (const person of people) {
      const { city } = JSON.parse(texts[person] ?? "");
      const { orders } = JSON.parse(texts[people.length + person] ?? "") as { readonly orders: readonly Order[] };
      for (const { amount } of orders) totals[city] = (totals[city] ?? 0) + amount;
    }
    return Object.entries(totals).toSorted();
  },
};

const pages: ScriptTask = {
  name: "great orders on 20 pages of a server",
  code: () =>
    `const great = [];
for (let page = 0; page !== null;) {
  const { orders, next } = JSON.parse((await tools.orders_page({ page })).text);
  great.push(...orders.filter(({ amount }) => amount >= 50).map(({ order }) => order));
  page = next;
}
return great;`,
  plain: async (_, turn) => {
    const great: number[] = [];
    for (let page: number | null = 0; page !== null;) {
      const [text = ""] = await turn(["orders_page", { page }]);
      const { orders, next } = JSON.parse(text) as {
        readonly orders: readonly (Order & { readonly order: number })[];
        readonly next: number | null;
      };
      great.push(...orders.filter(({ amount }) => amount >= 50).map(({ order }) => order));
      page = next;
    }
    return great;
  },
};

export const SERVER_TASKS: readonly ScriptTask[] = [join, pages];
