/** Places that hold credentials. A grant that would open one of them is refused. */

const SENSITIVE = [
  ".aws",
  ".azure",
  ".bash_history",
  ".cargo/credentials.toml",
  ".config/gcloud",
  ".config/gh",
  ".docker",
  ".git-credentials",
  ".gnupg",
  ".kube",
  ".mozilla",
  ".netrc",
  ".npmrc",
  ".password-store",
  ".pypirc",
  ".ssh",
  ".zsh_history",
] as const;

/** Why `--read` or `--write` of `path` is refused; undefined when it may be granted. */
export function sensitiveProblem(path: string, home: string | undefined): string | undefined {
  if (home === undefined) return undefined;
  const clean = path.length > 1 ? path.replace(/\/+$/, "") : path;
  const opened = SENSITIVE.map((name) => `${home}/${name}`)
    .find((secret) =>
      clean === secret || clean.startsWith(secret + "/") || secret.startsWith(clean + "/") || clean === "/"
    );
  return opened === undefined
    ? undefined
    : `Cannot open "${path}" to commands: it would make "${opened}" reachable. Name the directories below it that are needed`;
}
