import type { Reply } from '../../../../contract/api.js'
import type { TieKind, TieState } from '../../../../contract/ground/wire-names.js'
import type { CodeProjectRow, CodeTieRow } from '../../../../store/tables/knowledge/code-ties.js'
import { readBoundary } from '../../../ground/visibility/boundary.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../../platform/jobs/periodic-work.js'
import { createForeignGit } from '../../../platform/processes/foreign-git.js'
import { GitFault } from '../../../platform/processes/git-program.js'
import type { TieLocation } from '../read/look-at-ties.js'
import type { Answer, QuestionArgs } from '../read/questions.js'
import type { Mention } from './mentions.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log' | 'plugins' | 'paths' | 'environment'>

/** Memories or ties per batch. */
const atOnce = 200
/** Branches move without file changes, so commits are checked at this interval. */
const commitsEveryMs = 600_000

/** Asks the index of a project where the code that memories mention is. */
type LocateTies = (root: string, ...args: QuestionArgs<'ties'>) => Promise<Answer<'ties'>>

/** A pass over the ties of one project. */
interface TieRun {
  deps: Deps
  locate: LocateTies
  root: string
  signal: AbortSignal
}

/** Ties memories to the code they mention, and checks the ties after the code was indexed again. */
export interface TiePass extends PeriodicWork {
  /** Marks a project for checking, because its code was indexed. */
  again(root: string): void
}

interface TieSources {
  locate: LocateTies
  /** The projects whose index is here. */
  indexed(): Promise<CodeProjectRow[]>
}

/** Runs every minute to include newly saved memories, unless the plugin is off (code-index.md 11). */
export function createTiePass(deps: Deps, { locate, indexed }: TieSources): TiePass {
  const stale = new Set<string>()
  const commitsAt = new Map<string, number>()
  const work = createPeriodicWork({
    run: async signal => {
      if (!deps.plugins.allows({ id: 'service.codeindex', capability: 'code:read' })) return
      for (const row of await indexed()) {
        const pass = { deps, locate, root: row.root, signal }
        const now = deps.clock().getTime()
        const isStale = stale.delete(row.root)
        if (isStale || now - (commitsAt.get(row.root) ?? 0) >= commitsEveryMs) {
          await recheckTies(pass, isStale ? undefined : 'commit')
          commitsAt.set(row.root, now)
        }
        await tieChangedMemories(pass, row)
      }
    },
    onError: error => deps.log.warn({ err: error }, 'memories not tied to code'),
  })
  return {
    ...work,
    again: root => {
      stale.add(root)
      work.wake()
    },
  }
}

/** Ties memories changed since the last pass; deleted memories lose their ties. */
async function tieChangedMemories(
  pass: TieRun,
  { project, tied_change: before }: Pick<CodeProjectRow, 'project' | 'tied_change'>,
): Promise<void> {
  const { root, signal } = pass
  const { store } = pass.deps
  const { codeTies } = store.tables
  // Loaded with the first text, because compiling its patterns would slow down every start.
  const { maxMentionedText, mentionsIn } = await import('./mentions.js')
  for (let change = before; !signal.aborted; ) {
    const wanted = { change, project: project ?? root, characters: maxMentionedText }
    const memories = await codeTies.changedMemories(wanted, atOnce)
    const last = memories.at(-1)
    if (!last) return
    const mentioned = memories.flatMap(({ id, text }) =>
      text === null ? [] : mentionsIn(text, root).map(mention => ({ id, ...mention })),
    )
    const ground = mentioned.length === 0 ? [] : await locateMentions(pass, mentioned)
    const ties = mentioned.flatMap(({ id, kind, target }, at) => {
      const found = ground[at]
      return found && found !== 'unknown'
        ? [
            {
              memory_id: id,
              root,
              kind,
              target,
              ...found,
              state: 'here',
              moved_at: null,
            } satisfies CodeTieRow,
          ]
        : []
    })
    const ids = memories.map(({ id }) => id)
    // Safe to repeat after a kill.
    await store.write({ until: 'committed', shared: true, rows: ties.length + 2 }, async tables => {
      await tables.codeTies.replaceTies(root, ids, ties)
      await tables.codeProjects.change(root, { tied_change: last.change })
    })
    change = last.change
  }
}

/** Checks the ties of a project again, optionally of one kind only. */
async function recheckTies(pass: TieRun, only?: TieKind): Promise<void> {
  const { root, signal } = pass
  const { store, clock } = pass.deps
  for (let after = { memory_id: '', kind: '', target: '' }; !signal.aborted; ) {
    const page = await store.tables.codeTies.tiesAfter(root, after, atOnce)
    const last = page.at(-1)
    if (!last) return
    const ties = only ? page.filter(({ kind }) => kind === only) : page
    const ground = await locateMentions(pass, ties as (CodeTieRow & Mention)[])
    const now = clock().toISOString()
    const looks = ties.flatMap((tie, at) => {
      const found = ground[at]
      if (found === 'unknown') return []
      const state = stateOf(tie, found)
      const { path, line } = found ?? tie
      return state === tie.state && path === tie.path && line === tie.line
        ? []
        : [{ tie, look: { path, line, state, moved_at: state === 'here' ? null : (tie.moved_at ?? now) } }]
    })
    await store.write({ until: 'committed', shared: true, rows: looks.length }, async tables => {
      for (const { tie, look } of looks) await tables.codeTies.noteLook(tie, look)
    })
    after = last
  }
}

function stateOf({ hash }: CodeTieRow, ground: TieLocation | undefined): TieState {
  if (!ground) return 'gone'
  return ground.hash === hash ? 'here' : 'changed'
}

/** Locates each mention; undefined for missing ones, `unknown` for a commit if git gives no answer. */
async function locateMentions(
  { deps, locate, root, signal }: TieRun,
  mentions: readonly (Mention & { path?: string | null })[],
): Promise<(TieLocation | undefined | 'unknown')[]> {
  if (mentions.length === 0) return []
  const sought = mentions.map(({ kind, target, path = null }) => ({ kind, target, path }))
  const ground = await locate(root, sought)
  const hashes = new Set(mentions.flatMap(({ kind, target }) => (kind === 'commit' ? [target] : [])))
  if (hashes.size === 0) return ground
  const reachable = await reachableCommits(deps, root, [...hashes], signal)
  return mentions.map(({ kind, target }, at) => {
    if (kind !== 'commit') return ground[at]
    if (!reachable) return 'unknown'
    return reachable.has(target) ? { path: null, line: null, hash: null } : undefined
  })
}

/** Time limit of git for one batch of commits. */
const timeoutMs = 10_000

/**
 * Returns the hashes, as written, of commits reachable from a branch, a tag or HEAD. A commit replaced by an
 * amend or a rebase may stay in the repository for weeks but does not count.
 * @returns undefined if git is missing, the folder is not a repository, or it takes too long
 */
async function reachableCommits(
  deps: Pick<Daemon, 'paths' | 'log' | 'environment'>,
  root: string,
  hashes: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const git = createForeignGit(deps, { folder: root }, signal)
  const input = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')
  try {
    const named = hashes.map(hash => `${hash}^{commit}`)
    const told = (await git.run('cat-file', ['--batch-check'], { timeoutMs, input: input(named) })).split(
      '\n',
    )
    const whole = new Map(hashes.map((hash, at) => [hash, /^([0-9a-f]+) commit /u.exec(told[at] ?? '')?.[1]]))
    const there = [...new Set(whole.values())].filter(hash => hash !== undefined)
    if (there.length === 0) return new Set()
    const left = await git.run('rev-list', ['--stdin', '--not', '--all'], { timeoutMs, input: input(there) })
    const unreachable = new Set(left.split('\n'))
    return new Set(hashes.filter(hash => !unreachable.has(whole.get(hash) ?? '') && whole.get(hash)))
  } catch (error) {
    if (!(error instanceof GitFault)) throw error
    if (!signal.aborted) deps.log.info({ err: error }, 'commits named by memories not looked up')
    return undefined
  }
}

type MovedMemory = Reply<'GET /api/code/moved'>['memories'][number]

/** Lists visible memories whose tied code changed, most recently noticed first (code-index.md 11). */
export async function movedMemories(
  deps: Pick<Daemon, 'store' | 'configuration'>,
  caller: Caller,
  query: { limit: number; agentId?: string | null | undefined; agent_id?: string | null | undefined },
): Promise<Reply<'GET /api/code/moved'>> {
  const boundary = await readBoundary(deps, caller, query)
  const memories = new Map<string, MovedMemory>()
  for (const tie of await deps.store.tables.codeTies.movedTies(boundary, query.limit)) {
    const { memory_id: id, root: project, kind, target, path, state, moved_at: since, content } = tie
    const known = memories.get(id) ?? { id, content, project, moved: [] }
    known.moved.push({
      kind: kind as TieKind,
      target,
      path,
      state: state === 'gone' ? 'gone' : 'changed',
      since: since ?? '',
    })
    memories.set(id, known)
  }
  return { memories: [...memories.values()], count: memories.size }
}
