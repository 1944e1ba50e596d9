import { posix } from 'node:path'

/** Files of a project that say by their structure what it is made of (sources.md#manifests-of-projects). */
const kinds = {
  package: /^package\.json$/u,
  go: /^go\.mod$/u,
  cargo: /^Cargo\.toml$/u,
  pyproject: /^pyproject\.toml$/u,
  compose: /^(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/u,
  owners: /^CODEOWNERS$/u,
} as const

export type ManifestKind = keyof typeof kinds

/** Returns the kind of a manifest by the name of its file; undefined for other files. */
export function manifestKind(path: string): ManifestKind | undefined {
  const name = posix.basename(path.replaceAll('\\', '/'))
  return (Object.keys(kinds) as ManifestKind[]).find(kind => kinds[kind].test(name))
}

/** Fences a manifest as a code block, so that its passages end with lines. */
export function fencedManifest(text: string): string {
  return `${fence}\n${text.trimEnd()}\n${fence}`
}

const fence = '````'

/** Returns the lines of a manifest in one passage. */
export function withoutFence(content: string): string {
  return content
    .split('\n')
    .filter(line => line !== fence)
    .join('\n')
}
