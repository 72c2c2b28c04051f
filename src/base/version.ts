/** The program's version, as `--version`, `initialize` and the log state it. */
export const VERSION = "0.1.0";
