/** The notes of a release: what the version does, links that install it, and how a file of it is verified. */
import { installLinks } from "./npm/npx_entries.ts";
import { pageOf, type PublicProject } from "./project.ts";

/** The text for the release page. @throws {Error} when the changelog does not begin with this version */
export function releaseNotes(project: PublicProject, changelog: string): string {
  const { version, name, repository } = project;
  const section = changelogSection(changelog, version);
  const links = installLinks(project).map(({ title, url }) => `[Install in ${title}](${url})`);
  return `${section.trim()}

## Install

\`npm install -g ${name}@${version}\`, an archive below, or a click: ${links.join(" · ")}.
[All ways](${pageOf(project)}/blob/v${version}/docs/install.md).

## Verify

\`\`\`sh
sha256sum --check --ignore-missing SHA256SUMS
gh attestation verify FILE --repo ${repository}
\`\`\`
`;
}

/** What the changelog says of its newest version. @throws {Error} when that is another one */
export function changelogSection(changelog: string, version: string): string {
  const [, first = ""] = changelog.split(/^## /m);
  const end = first.indexOf("\n");
  if (first.slice(0, end) !== version) {
    throw new Error(`CHANGELOG.md begins with "${first.slice(0, end)}", not ${version}`);
  }
  return first.slice(end + 1).replaceAll(/\]\(docs\//g, "](../../blob/HEAD/docs/");
}
