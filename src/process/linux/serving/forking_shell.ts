import { quote } from "../../../base/text.ts";
import { exportsOf } from "../../shell.ts";

/** The text for a shell that forks: the line alone, unless its directory or environment is another than the shell's. */
export function encodeForkedLine(
  line: string,
  directory: string | undefined,
  environment: Readonly<Record<string, string>>,
): string {
  const enter = directory === undefined ? "" : `cd -- ${quote(directory)}||exit 126;unset OLDPWD;`;
  return `${enter}${exportsOf(environment)}${line}\0`;
}
