import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Ignore } from 'ignore'

/** What the `.gitignore` of one folder says of all that is below it. */
interface Rules {
  folder: string
  ignored: Ignore
}

/** What the `.gitignore` files on the way to a path say of it. */
export interface IgnoreRules {
  /** @param path below the folder of the rules, absolute. */
  ignores(path: string, kind: 'file' | 'folder'): boolean
  /** These rules with those of a folder below. */
  inFolder(folder: string): Promise<IgnoreRules>
}

/**
 * The rules that hold in a folder that somebody named: those of its own `.gitignore`, and of the folders above it up to
 * the root of its repository. A folder that these leave out is taken all the same, since it was named; its own rules are
 * the first then, as they are outside of a repository.
 * @param folder absolute
 */
export async function ignoreRules(folder: string): Promise<IgnoreRules> {
  let above = rulesOf([])
  for (const each of await foldersAbove(folder)) above = await above.inFolder(each)
  return (above.ignores(folder, 'folder') ? rulesOf([]) : above).inFolder(folder)
}

/** No rules, here and below. */
export const takesAll: IgnoreRules = { ignores: () => false, inFolder: async () => takesAll }

function rulesOf(all: readonly Rules[]): IgnoreRules {
  return {
    ignores: (path, kind) => {
      // The innermost file that says anything decides, as in git.
      for (const { folder, ignored } of [...all].reverse()) {
        const below = relative(folder, path).split(sep).join('/')
        const told = ignored.test(kind === 'folder' ? `${below}/` : below)
        if (told.ignored || told.unignored) return told.ignored
      }
      return false
    },
    inFolder: async folder => {
      const text = await readFile(join(folder, '.gitignore'), 'utf8').catch(() => undefined)
      if (text === undefined) return rulesOf(all)
      const { default: ignore } = await import('ignore')
      return rulesOf([...all, { folder, ignored: ignore().add(text) }])
    },
  }
}

/** From the root of the repository to the folder above this one; none for the root itself and outside of a repository. */
async function foldersAbove(folder: string): Promise<string[]> {
  const above: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.unshift(at)
    if (await stat(join(at, '.git')).catch(() => undefined)) return above
    if (at === dirname(at)) return []
  }
}
