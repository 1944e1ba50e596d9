import type { TieState } from '../../../../contract/memory/tie-words.js'
import type { CodeProjectRow } from '../../../../store/tables/knowledge/code-projects.js'
import type { CodeTieRow } from '../../../../store/tables/knowledge/code-ties.js'
import { codeDatabase } from '../../../ground/code/indexing/index-folder.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { createPeriodicWork, type PeriodicWork } from '../../../platform/jobs/periodic-work.js'
import type { CodeReader } from '../read/code-reader.js'
import type { Ground } from '../read/look-at-ties.js'
import { type Mention, maxMentionedText, mentionsIn } from './mentions.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'log' | 'plugins'>

/** Memories that are looked at together, and ties that are looked at again together. */
const atOnce = 200

/** Ties what memories say to the code of their projects, and looks again once that was read anew. */
export interface TiePass extends PeriodicWork {
  /** The code of a project was read: its ties are looked at again. */
  again(root: string): void
}

/** A look every minute takes what was saved since; while the plugin is off there is none (code-index.md 11). */
export function createTiePass(deps: Deps, reader: CodeReader): TiePass {
  const stale = new Set<string>()
  const work = createPeriodicWork({
    run: async signal => {
      if (!deps.plugins.allows({ id: 'service.codeindex', capability: 'code:read' })) return
      for (const row of await deps.store.tables.codeProjects.indexed()) {
        if (stale.delete(row.root)) await lookAgain(deps, reader, row.root, signal)
        await tieChanged(deps, reader, row, signal)
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

/** Ties memories that changed since the last pass; those that are gone lose theirs. */
async function tieChanged(
  { store }: Deps,
  reader: CodeReader,
  { root, project, tied_change: before }: CodeProjectRow,
  signal: AbortSignal,
): Promise<void> {
  const { codeTies } = store.tables
  for (let change = before; !signal.aborted; ) {
    const wanted = { change, project: project ?? root, characters: maxMentionedText }
    const memories = await codeTies.changedMemories(wanted, atOnce)
    const last = memories.at(-1)
    if (!last) return
    const mentioned = memories.flatMap(({ id, text }) =>
      text === null ? [] : mentionsIn(text, root).map(mention => ({ id, ...mention })),
    )
    const ground = mentioned.length === 0 ? [] : await groundOf(reader, root, mentioned)
    const ties = mentioned.flatMap(({ id, kind, target }, at) => {
      const found = ground[at]
      return found
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
    // Done again after a kill: nothing is lost.
    await store.repeatable(async tables => {
      await tables.codeTies.replaceTies(root, ids, ties)
      await tables.codeProjects.change(root, { tied_change: last.change })
    }, ties.length + 2)
    change = last.change
  }
}

/** Looks at the ties of a project after it was read anew. */
async function lookAgain(
  { store, clock }: Deps,
  reader: CodeReader,
  root: string,
  signal: AbortSignal,
): Promise<void> {
  for (let after = { memory_id: '', kind: '', target: '' }; !signal.aborted; ) {
    const ties = await store.tables.codeTies.tiesAfter(root, after, atOnce)
    const last = ties.at(-1)
    if (!last) return
    const ground = await groundOf(reader, root, ties as (CodeTieRow & Mention)[])
    const now = clock().toISOString()
    const looks = ties.flatMap((tie, at) => {
      const state = stateOf(tie, ground[at])
      const { path, line } = ground[at] ?? tie
      return state === tie.state && path === tie.path && line === tie.line
        ? []
        : [{ tie, look: { path, line, state, moved_at: state === 'here' ? null : (tie.moved_at ?? now) } }]
    })
    await store.repeatable(async tables => {
      for (const { tie, look } of looks) await tables.codeTies.noteLook(tie, look)
    }, looks.length)
    after = last
  }
}

function stateOf({ hash }: CodeTieRow, ground: Ground | undefined): TieState {
  if (!ground) return 'gone'
  return ground.hash === hash ? 'here' : 'changed'
}

function groundOf(
  reader: CodeReader,
  root: string,
  mentions: readonly (Mention & { path?: string | null })[],
): Promise<(Ground | undefined)[]> {
  const sought = mentions.map(({ kind, target, path = null }) => ({ kind, target, path }))
  return reader.ask('ties', { root, file: codeDatabase(root) }, sought)
}
