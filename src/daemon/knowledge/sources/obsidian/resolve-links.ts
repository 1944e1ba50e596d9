/** Where a link of a note leads, among the notes of its vault; undefined where there is none. */
export type ResolveLink = (from: string, target: string) => string | undefined

/**
 * Links lead as in Obsidian: to the exact path, from the folder of the note or from the root; else to the only note of
 * that name; else to the one with the shortest path. Neither case nor the way a letter is composed matters.
 * @param paths of all notes and canvases, with `/` between their parts
 */
export function resolveLinks(paths: readonly string[]): ResolveLink {
  const byPath = new Map<string, string>()
  const byName = new Map<string, string[]>()
  for (const path of [...paths].sort(byLength)) {
    const key = folded(path)
    if (!byPath.has(key)) byPath.set(key, path)
    const name = nameOf(key)
    const known = byName.get(name)
    if (known) known.push(path)
    else byName.set(name, [path])
  }
  return (from, target) => {
    const wanted = folded(target)
    const folder = from.includes('/') ? from.slice(0, from.lastIndexOf('/') + 1) : ''
    const beside = joined(folded(folder), wanted)
    for (const path of [wanted.replace(/^\//u, ''), beside]) {
      const found = path === undefined ? undefined : (byPath.get(path) ?? byPath.get(`${path}.md`))
      if (found) return found
    }
    const file = wanted.replace(/^(?:\.{0,2}\/)+/u, '')
    const endings = [`/${file}`, `/${file}.md`]
    const named = [...(byName.get(nameOf(file)) ?? []), ...(byName.get(nameOf(`${file}.md`)) ?? [])]
    return named.find(path => endings.some(ending => `/${folded(path)}`.endsWith(ending)))
  }
}

/** What is looked for first when a name is not the only one: fewest folders, then the shortest, then by its letters. */
function byLength(a: string, b: string): number {
  const depth = (path: string) => path.split('/').length
  return depth(a) - depth(b) || a.length - b.length || (a < b ? -1 : 1)
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase().trim()
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A path from a folder, `..` resolved; undefined where it leads out of the vault. */
function joined(folder: string, path: string): string | undefined {
  const parts: string[] = []
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
