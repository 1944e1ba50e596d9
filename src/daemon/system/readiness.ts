import type { Readiness } from '../../contract/system.js'
import type { Daemon } from '../daemon.js'

const starting: Readiness = {
  ready: false,
  checks: {
    database: { ok: false, detail: 'starting' },
    index: { ok: false, detail: 'starting' },
    embedding: { ok: true, detail: 'starting' },
    migrations: { ok: false, detail: 'starting' },
  },
}

/** Whether everything answers; an absent embedding or an index still being filled do not count as unready. */
export async function readiness(daemon: Daemon | undefined): Promise<Readiness> {
  if (!daemon) return starting
  const { store, index, embedder } = daemon
  const database = await store.check().then(
    () => ({ ok: true }),
    () => ({ ok: false, detail: 'the database does not answer; see the daemon log' }),
  )
  const { applied, known } = store.migrations
  const { state, documents } = await index.stats()
  const embedding = embedder().status()
  return {
    ready: database.ok,
    checks: {
      database,
      index: { ok: true, detail: `${state}, ${documents} memories` },
      embedding: { ok: embedding.available, detail: embedding.error ?? embedding.state },
      migrations: { ok: applied === known, detail: `schema ${applied}` },
    },
  }
}
