import { noteLifecycle } from '../../ground/recording/source-lifecycle.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

type Deps = Parameters<typeof noteLifecycle>[0] & Pick<Daemon, 'store'>

/** Notes the first time that somebody was given something of a source; nobody waits for it. */
export async function noteRecalledSources(deps: Deps, sourceIds: Iterable<string>): Promise<void> {
  const ids = [...new Set(sourceIds)]
  if (ids.length === 0) return
  const { sources } = deps.store.tables
  const first = await sources.notRecalled(ids)
  for (const { id, kind } of first) {
    await deps.store.bookkeeping(tables => tables.sources.noteRecalled(id, deps.clock().toISOString()))
    await noteLifecycle(deps, { kind, phase: 'first_recall' })
  }
}
