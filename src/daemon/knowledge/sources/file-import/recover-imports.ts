import type { Daemon } from '../../../platform/daemon/daemon.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'startedAt'>

/**
 * What a kill left of imports: a file that was not whole goes, since nobody was told that it is there; one that was being
 * read again is finished from its text.
 */
export async function recoverImports({ store, clock, startedAt }: Deps): Promise<void> {
  const now = clock().toISOString()
  const before = startedAt.toISOString()
  for (const row of await store.tables.sources.all()) {
    const isFile = row.kind === 'import' && 'sha256' in (JSON.parse(row.settings) as object)
    if (!isFile || row.updated_at >= before) continue
    if (row.last_indexed_at === null) await store.transaction(({ sources }) => sources.bury(row.id, now))
    else if (row.covered < row.artifacts)
      await store.transaction(({ sourceJobs }) => sourceJobs.request(row.id, { full: false, now }))
  }
}
