/**
 * Makes the engine compile functions with their file. It caches compiled code between starts, but only code compiled
 * before the first line ran. A plain function is compiled at its first call, again at each start. The engine expects a
 * function in parentheses to be called at once, and compiles it early.
 */
import { parse } from "acorn";

/**
 * A packed module with each of its outermost functions in parentheses. They are moved to the top, because code above
 * their place may call them.
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
