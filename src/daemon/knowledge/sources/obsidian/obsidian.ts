import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, resolve } from 'node:path'
import { AppError } from '../../../../contract/ground/errors.js'
import { sourceKind } from '../../../../contract/ground/wire-names.js'
import {
  type AddedSource,
  type ObsidianSettings,
  obsidianSettings,
  type VaultBody,
  vaultExcludes,
} from '../../../../contract/knowledge/sources/source-kinds.js'
import { quoted } from '../../../../lib/text/clip.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import { assertMayRead, givenTo } from '../../../platform/auth/given-folders.js'
import { isOnThisMachine } from '../../../platform/auth/loopback.js'
import { addSource } from '../core/add-source.js'
import type { SourceKind } from '../core/kind.js'
import type { SourceDeps } from '../core/runs.js'

/** Resolves a link of a note to the path of a note in the vault; undefined if there is none. */
type LinkResolver = (from: string, target: string) => string | undefined

/** Interval for finding changes that no watcher reported. */
const reconcileEveryMs = 10 * 60_000

/** Obsidian vaults: folders of notes (sources.md#obsidian). */
export const obsidian: SourceKind<ObsidianSettings> = {
  kind: sourceKind.obsidian,
  settings: obsidianSettings,
  identityOf: ({ path }) => path,
  describe: ({ path, excludeGlobs }) => ({ name: basename(path) || path, root: path, excludeGlobs }),
  read: async function* (deps, source, pass) {
    const { readVault } = await import('./read.js')
    yield* readVault(deps, source, pass)
  },
  follow: async function* (deps, source, pass) {
    const { watchVault } = await import('./watch.js')
    yield* watchVault(deps, source, pass)
  },
  reconcileEveryMs,
  resolveLinks,
  // Warns about an empty vault, because a wrong folder would otherwise look like a healthy one.
  health: async ({ store }, { id }) => {
    const { listingKey, noFiles } = await import('./read.js')
    const listing = await store.tables.sourceNotes.checkpoint(id, listingKey)
    if (listing !== noFiles) return {}
    return {
      status: 'degraded',
      notes: ['it contains no notes (.md, .canvas): is it the folder of the vault?'],
    }
  },
}

/**
 * Registers a vault in a folder of this machine.
 * @throws AppError `validation_failed` if it is not a folder, `forbidden` for callers on other machines and
 * for a folder that the credential may not have read
 */
export async function addVault(deps: SourceDeps, caller: Caller, body: VaultBody): Promise<AddedSource> {
  if (!isOnThisMachine(caller))
    throw new AppError('forbidden', "vaults are only read for callers on the daemon's machine")
  const named = body.path ?? body.root ?? ''
  if (isAbsolute(named)) await assertMayRead(deps, caller, named)
  const path = await folderOf(named)
  const excludeGlobs = body.excludeGlobs ?? [...vaultExcludes]
  const settings = { path, excludeGlobs, givenTo: givenTo(caller) }
  return addSource(deps, caller, { kind: obsidian, settings, name: body.name, named: body })
}

/** Resolves symbolic links, so that one vault always has the same id. */
async function folderOf(path: string): Promise<string> {
  const invalid = (why: string) => new AppError('validation_failed', `path ${quoted(path)}: ${why}`)
  if (!isAbsolute(path)) throw invalid('it is not an absolute path')
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error)
    throw invalid(
      stats.code === 'EACCES' ? 'the daemon has no permission to read it' : 'the folder does not exist',
    )
  if (!stats.isDirectory()) throw invalid('it is a file; use the folder of the vault')
  return realpath(resolve(path))
}

/**
 * Builds a resolver that follows Obsidian's rules: the exact path, from the note's folder or from the root;
 * then the only note with that name; then the one with the shortest path. Case and Unicode composition are
 * ignored.
 * @param paths of all notes and canvases, with `/` between their parts
 */
export function resolveLinks(paths: readonly string[]): LinkResolver {
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
    const beside = joinPath(folded(folder), wanted)
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

/** Orders candidates for an ambiguous name: fewest folders, then shortest path, then alphabetically. */
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

/** Joins a path to a folder and resolves `..`; undefined if it leaves the vault. */
function joinPath(folder: string, path: string): string | undefined {
  const parts: string[] = []
  for (const part of `${folder}${path}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}
