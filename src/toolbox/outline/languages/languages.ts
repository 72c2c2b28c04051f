/** Languages whose definitions are found by a grammar, each with its query (K4). */
import BASH from "./bash.scm" with { type: "text" };
import C from "./c.scm" with { type: "text" };
import CPP from "./cpp.scm" with { type: "text" };
import CSHARP from "./csharp.scm" with { type: "text" };
import CSS from "./css.scm" with { type: "text" };
import DART from "./dart.scm" with { type: "text" };
import GO from "./go.scm" with { type: "text" };
import INI from "./ini.scm" with { type: "text" };
import JAVA from "./java.scm" with { type: "text" };
import JAVASCRIPT from "./javascript.scm" with { type: "text" };
import PHP from "./php.scm" with { type: "text" };
import POWERSHELL from "./powershell.scm" with { type: "text" };
import PYTHON from "./python.scm" with { type: "text" };
import RUBY from "./ruby.scm" with { type: "text" };
import RUST from "./rust.scm" with { type: "text" };
import SOLIDITY from "./solidity.scm" with { type: "text" };
import SWIFT from "./swift.scm" with { type: "text" };
import TYPESCRIPT from "./typescript.scm" with { type: "text" };

/** A language and the query for its grammar. */
export interface Language {
  /** Also the name of the grammar's file in the data of the worker. */
  readonly name: string;
  /** Captures `@def.KIND` for a definition, its `@name`, and `@body` if the grammar lacks a field of that name. */
  readonly query: string;
  /** File extensions in lower case. */
  readonly endings: readonly string[];
  /** What begins a comment that ends with its line. */
  readonly comment: "//" | "#" | ";";
}

export const LANGUAGES: readonly Language[] = [
  { name: "bash", query: BASH, endings: ["sh", "bash"], comment: "#" },
  { name: "c", query: C, endings: ["c"], comment: "//" },
  { name: "cpp", query: C + CPP, endings: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h", "ino"], comment: "//" },
  { name: "csharp", query: CSHARP, endings: ["cs"], comment: "//" },
  { name: "css", query: CSS, endings: ["css"], comment: "//" },
  { name: "dart", query: DART, endings: ["dart"], comment: "//" },
  { name: "go", query: GO, endings: ["go"], comment: "//" },
  { name: "ini", query: INI, endings: ["ini", "cfg"], comment: ";" },
  { name: "java", query: JAVA, endings: ["java"], comment: "//" },
  { name: "javascript", query: JAVASCRIPT, endings: ["js", "mjs", "cjs", "jsx"], comment: "//" },
  { name: "php", query: PHP, endings: ["php"], comment: "//" },
  { name: "powershell", query: POWERSHELL, endings: ["ps1", "psm1"], comment: "#" },
  { name: "python", query: PYTHON, endings: ["py", "pyi"], comment: "#" },
  { name: "ruby", query: RUBY, endings: ["rb", "rake"], comment: "#" },
  { name: "rust", query: RUST, endings: ["rs"], comment: "//" },
  { name: "solidity", query: SOLIDITY, endings: ["sol"], comment: "//" },
  { name: "swift", query: SWIFT, endings: ["swift"], comment: "//" },
  { name: "tsx", query: TYPESCRIPT, endings: ["tsx"], comment: "//" },
  { name: "typescript", query: TYPESCRIPT, endings: ["ts", "mts", "cts"], comment: "//" },
];

const BY_ENDING: ReadonlyMap<string, Language> = new Map(
  LANGUAGES.flatMap((language) => language.endings.map((ending) => [ending, language] as const)),
);

/** The language of a file extension; undefined: there is no grammar. */
export function languageOf(ending: string): Language | undefined {
  return BY_ENDING.get(ending);
}

/** The file extension of a path in lower case, without the dot; empty: there is none. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
}
