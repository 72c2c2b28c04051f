/**
 * Functions that the engine compiles with the file. It keeps compiled code between starts, but only of what it compiled
 * before the first line ran: a plain function is compiled when it is first called, at each start again. One in
 * parentheses is taken for one that is called at once.
 */
import { parse } from "acorn";

/**
 * A packed module with each of its outermost functions in parentheses, before everything else, because they may be called
 * above their place.
 */
export function withEagerFunctions(text: string): string {
  const { body } = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  const functions = body.filter((node) => node.type === "FunctionDeclaration");
  // Without its name a function is called as its variable, and can assign that.
  const first = functions.map(({ id, start, end }) =>
    `var ${id.name}=(${text.slice(start, id.start)}${text.slice(id.end, end)});`
  );
  let rest = "";
  let at = 0;
  for (const { start, end } of functions) {
    rest += text.slice(at, start);
    at = end;
  }
  return `${first.join("")}\n${rest}${text.slice(at)}`;
}
