const humps = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+/gu

/**
 * Returns the short name of a project for people: the last segment of its key, without the remote or folder
 * that it lies in.
 */
export function shortNameOf(key: string): string {
  if (key.includes('#')) return key.slice(key.lastIndexOf('#') + 1)
  return key.split(/[/\\]/u).findLast(segment => segment !== '') ?? key
}

/**
 * Returns the name of each project by its keys. A fork and its origin have one name: of equal names each gets
 * the part of its key before it, or the beginning of its first commit.
 */
export function namesOf(
  projects: readonly { name: string; keys: readonly string[] }[],
): ReadonlyMap<string, string> {
  const count = new Map<string, number>()
  for (const { name } of projects) count.set(name, (count.get(name) ?? 0) + 1)
  return new Map(
    projects.flatMap(({ name, keys }) => {
      const shown = (count.get(name) ?? 0) > 1 ? longerName(name, keys[0] ?? '') : name
      return keys.map(key => [key, shown] as const)
    }),
  )
}

function longerName(name: string, key: string): string {
  const commit = /^git:(?<start>[0-9a-f]{7})/u.exec(key)?.groups?.start
  if (commit !== undefined) return `${name} (${commit})`
  const before = key.split(/[#/\\]/u).filter(part => part !== '')
  const owner = before.at(-2)
  return owner === undefined ? name : `${name} (${owner})`
}

/** Splits an identifier into words in lower case: `readHTTPHeader_v2` becomes read, http, header, v, 2. */
export function wordsOfName(name: string): string[] {
  return (name.match(humps) ?? []).map(word => word.toLowerCase())
}
