import { AppError } from '../../../contract/ground/errors.js'
import type { CodeSymbolRecord } from '../../../contract/knowledge/code.js'
import type { OpenedItem } from '../../../contract/operations/items.js'
import { quoted } from '../../../lib/text/clip.js'
import type { NamedAgent } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { findProject } from '../../knowledge/code/find-project.js'
import { projectsOf } from '../../knowledge/code/projects.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** An id to open, with the agent that reads. */
export interface ItemRequest extends NamedAgent {
  id: string
  /** Canonical key of the project of a symbol. */
  project?: string | undefined
}

/** A folder whose code is indexed. */
interface CodePlace {
  root: string
  /** Canonical key; null for a folder that was indexed before it had a project. */
  project: string | null
}

/** Symbols of an index are searched by at most so many characters, as by its own endpoint. */
const maxQuery = 500

/**
 * Returns the indexed folders that the caller may read: of one project, or all.
 * @param project a canonical key; null for none
 */
export async function codeRoots(
  daemon: Daemon,
  caller: Caller,
  project: string | null | undefined,
): Promise<CodePlace[]> {
  if (project === null || !daemon.plugins.allows({ id: 'service.codeindex', capability: 'code:read' }))
    return []
  const keys = project === undefined ? undefined : daemon.projects.keysOf(project)
  const indexed = await daemon.store.tables.codeProjects.indexed()
  const places = indexed.filter(place => !keys || (place.project !== null && keys.includes(place.project)))
  const readable = await Promise.all(places.map(({ root }) => mayRead(daemon, caller, root)))
  return places.filter((_, at) => readable[at]).map(({ root, project: key }) => ({ root, project: key }))
}

async function mayRead(daemon: Daemon, caller: Caller, root: string): Promise<boolean> {
  try {
    return (await findProject(daemon, caller, { project: root })) === root
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Searches symbols in some folders, each in its own order, best first. */
export async function searchCode(
  daemon: Daemon,
  places: readonly CodePlace[],
  { query, top }: { query: string; top: number },
): Promise<{ place: CodePlace; symbol: CodeSymbolRecord & { score: number } }[]> {
  const question = { query: query.slice(0, maxQuery), top, file: undefined, debug: false }
  const found = await Promise.all(
    places.map(async place => {
      const { results } = await projectsOf(daemon).ask('search', place.root, question)
      return results.map(symbol => ({ place, symbol }))
    }),
  )
  return found.flat().sort((a, b) => b.symbol.score - a.symbol.score)
}

/** The id of a symbol; with several folders it contains the whole path. */
export function symbolId(
  { root }: CodePlace,
  { path, qualified }: Pick<CodeSymbolRecord, 'path' | 'qualified'>,
  areSeveral: boolean,
): string {
  return `code:${areSeveral ? `${root}/` : ''}${path}:${qualified}`
}

/**
 * Opens a symbol by its id: in the folder that its path names, or else in each that the caller may read.
 * @throws AppError `not_found`; `validation_failed` if several folders have it
 */
export async function openSymbol(
  daemon: Daemon,
  caller: Caller,
  { id, project }: ItemRequest,
): Promise<OpenedItem> {
  const given = id.slice('code:'.length)
  const roots = await codeRoots(daemon, caller, project)
  const whole = roots.find(({ root }) => given.startsWith(`${root}/`))
  const symbol = whole ? given.slice(whole.root.length + 1) : given
  const found = (
    await Promise.all((whole ? [whole] : roots).map(async place => contextIn(daemon, place, symbol)))
  ).filter(one => one !== undefined)
  const own = found.filter(({ place }) => caller.project && place.project === caller.project)
  const [first, ...others] = own.length > 0 ? own : found
  if (!first) throw symbolMissing(id, roots.length)
  if (others.length > 0) {
    const ids = [first, ...others].map(({ place }) => `code:${place.root}/${symbol}`)
    throw new AppError(
      'validation_failed',
      `${quoted(id)} is in several projects; use one of: ${ids.join(', ')}`,
    )
  }
  return { kind: 'code', id, code: first.context }
}

async function contextIn(daemon: Daemon, place: CodePlace, symbol: string) {
  try {
    return { place, context: await projectsOf(daemon).ask('context', place.root, symbol) }
  } catch (error) {
    if (error instanceof AppError && ['not_found', 'not_indexed'].includes(error.code)) return undefined
    throw error
  }
}

function symbolMissing(id: string, roots: number): AppError {
  const advice =
    roots === 0 ? 'no code is indexed here; run: memory code index' : 'find it again with memory search'
  return new AppError('not_found', `symbol ${quoted(id)} not found: ${advice}`)
}
