import { stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Ignore } from 'ignore'
import { isRecord, jsonOf } from '../text/json-of.js'
import { readForeignText } from './open-foreign.js'

/** Larger ignore files are left out. */
const maxBytes = 256 * 1024
/** A mirror of 100,000 memories lists its files in about 20 MB. */
const maxMirrorBytes = 64 * 1024 * 1024
/** Patterns with more of them are left out. */
const maxWildcards = 4

/** The rules of one folder's `.gitignore`. */
interface FolderRules {
  folder: string
  ignored: Ignore
}

/** The combined rules of all `.gitignore` files between a repository's root and a folder. */
export interface IgnoreRules {
  /** @param path absolute, below the folder of the rules. */
  ignores(path: string, kind: 'file' | 'folder'): boolean
  /** Returns these rules extended with the `.gitignore` of a subfolder. */
  inFolder(folder: string): Promise<IgnoreRules>
}

/**
 * Returns the rules for a folder that the user named: its own `.gitignore` and those of its ancestors up to
 * the root of its repository. A named folder that its ancestors ignore is read all the same; only its own
 * rules apply then, as outside of a repository.
 * @param folder absolute
 */
export async function ignoreRules(folder: string): Promise<IgnoreRules> {
  let above = rulesOf([])
  for (const each of await foldersAbove(folder)) above = await above.inFolder(each)
  return (above.ignores(folder, 'folder') ? rulesOf([]) : above).inFolder(folder)
}

/** The file in which a mirror of memories lists its files (transfer.md#mirror). */
export const mirrorState = '.memory-mirror.json'

/**
 * Returns the files of a mirror in this folder, its list included; empty if it has none. Recall has these
 * memories already, so no reader of documents takes them.
 * @returns paths below the folder, with `/` between their parts
 */
export async function mirroredFiles(folder: string): Promise<string[]> {
  const text = await readForeignText(join(folder, mirrorState), { maxBytes: maxMirrorBytes })
  if (text === undefined) return []
  const state = jsonOf(text)
  const files = isRecord(state) && isRecord(state.files) ? Object.values(state.files) : []
  const paths = files.map(file => (isRecord(file) ? file.path : undefined))
  return [mirrorState, ...paths.filter(path => typeof path === 'string')]
}

/** The time to match a pattern grows with the length of the path for each of its wildcards. */
function isQuick(pattern: string): boolean {
  return (pattern.match(/\*+/gu)?.length ?? 0) <= maxWildcards
}

/** Ignores nothing, here and below. */
export const takesAll: IgnoreRules = { ignores: () => false, inFolder: async () => takesAll }

function rulesOf(all: readonly FolderRules[]): IgnoreRules {
  return {
    ignores: (path, kind) => {
      // The innermost file with a matching rule decides, as in git.
      for (const { folder, ignored } of [...all].reverse()) {
        const below = relative(folder, path).split(sep).join('/')
        const told = ignored.test(kind === 'folder' ? `${below}/` : below)
        if (told.ignored || told.unignored) return told.ignored
      }
      return false
    },
    inFolder: async folder => {
      const text = await readForeignText(join(folder, '.gitignore'), { maxBytes })
      if (text === undefined) return rulesOf(all)
      const { default: ignore } = await import('ignore')
      return rulesOf([...all, { folder, ignored: ignore().add(text.split('\n').filter(isQuick)) }])
    },
  }
}

/**
 * Returns the ancestors from the repository's root down; empty for the root itself and outside of a
 * repository.
 */
async function foldersAbove(folder: string): Promise<string[]> {
  const above: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.unshift(at)
    if (await stat(join(at, '.git')).catch(() => undefined)) return above
    if (at === dirname(at)) return []
  }
}
