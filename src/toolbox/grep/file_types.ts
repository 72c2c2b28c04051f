/** The most used file types of ripgrep, which are the same in all its versions. Pure. */

const TYPES: Readonly<Record<string, string>> = {
  c: "*.c *.h",
  cmake: "*.cmake CMakeLists.txt",
  cpp: "*.cc *.cpp *.cxx *.c++ *.hh *.hpp *.hxx *.h *.inl",
  csharp: "*.cs",
  css: "*.css *.scss",
  csv: "*.csv",
  dart: "*.dart",
  docker: "*Dockerfile*",
  elixir: "*.ex *.exs *.eex *.heex",
  go: "*.go",
  graphql: "*.graphql *.graphqls",
  h: "*.h *.hh *.hpp",
  haskell: "*.hs *.lhs *.hsc",
  html: "*.html *.htm *.ejs",
  java: "*.java *.jsp *.properties",
  js: "*.js *.jsx *.mjs *.cjs *.vue",
  json: "*.json *.sarif composer.lock",
  kotlin: "*.kt *.kts",
  lua: "*.lua",
  make: "*.mk *.mak [Mm]akefile* GNUmakefile*",
  md: "*.md *.mdx *.markdown *.mkd *.mdown",
  perl: "*.pl *.pm *.t *.perl",
  php: "*.php *.phtml",
  proto: "*.proto",
  py: "*.py *.pyi",
  r: "*.r *.R *.Rmd",
  ruby: "*.rb *.rake *.gemspec Gemfile Rakefile config.ru",
  rust: "*.rs",
  scala: "*.scala *.sbt",
  sh: "*.sh *.bash *.zsh *.ksh .bashrc .zshrc .profile .bash_profile .zshenv",
  sql: "*.sql *.psql",
  svelte: "*.svelte",
  swift: "*.swift",
  tf: "*.tf *.tfvars",
  toml: "*.toml Cargo.lock",
  ts: "*.ts *.tsx *.mts *.cts",
  txt: "*.txt",
  vue: "*.vue",
  xml: "*.xml *.xsd *.xsl *.xslt *.dtd",
  yaml: "*.yaml *.yml",
  zig: "*.zig",
};
const OTHER_NAMES: Readonly<Record<string, string>> = {
  javascript: "js",
  markdown: "md",
  python: "py",
  typescript: "ts",
  yml: "yaml",
};

/** Patterns for names of such files; undefined: the type is not known here. */
export function globsOfType(type: string): readonly string[] | undefined {
  const name = Object.hasOwn(OTHER_NAMES, type) ? OTHER_NAMES[type] ?? type : type;
  return Object.hasOwn(TYPES, name) ? TYPES[name]?.split(" ") : undefined;
}

/** The names of all types, for messages. */
export const KNOWN_TYPES: string = Object.keys(TYPES).join(", ");
