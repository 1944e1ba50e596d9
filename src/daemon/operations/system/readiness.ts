import type { Readiness } from '../../../contract/operations/system.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { secondsBehind } from '../../ground/index/follow-changes.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** A balancer does not wait for longer. */
const answerMs = 5000

type Check = Readiness['checks']['database']

/**
 * A missing embedding model or an index that is still filling doesn't count as unready. Of several daemons
 * one with an incomplete index does, or with one that is behind: another one has the whole.
 * @param problem why writes fail, in words
 * @param isStopping it serves what it has, and a balancer should send nothing more
 */
export async function readiness(
  daemon: Daemon | undefined,
  problem: string | undefined,
  isStopping: boolean,
): Promise<Readiness> {
  if (!daemon) return starting(problem)
  const { store, index, embedder } = daemon
  const database = await databaseCheck(daemon, problem)
  const { applied, known } = store.migrations
  const { state, entries } = await index.stats()
  const behind = secondsBehind(daemon.changes)
  const isIndexed = (state === 'ready' || store.tables.nodes.own === null) && behind === undefined
  const lag = behind === undefined ? '' : `, ${behind} s behind other daemons`
  const embedding = embedder().status()
  return {
    ready: database.ok && isIndexed && !isStopping,
    checks: {
      database,
      index: { ok: isIndexed, detail: `${state}, ${entries} memories${lag}` },
      embedding: { ok: embedding.available, detail: embedding.error ?? embedding.state },
      migrations: { ok: applied >= known, detail: `schema ${applied}` },
    },
  }
}

function starting(problem: string | undefined): Readiness {
  const detail = problem ? 'waits for disk space' : 'starting'
  return {
    ready: false,
    checks: {
      database: { ok: false, detail: problem ? `${problem}: the database could not be opened` : detail },
      index: { ok: false, detail },
      embedding: { ok: true, detail },
      migrations: { ok: false, detail },
    },
  }
}

async function databaseCheck({ store, integrity }: Daemon, problem: string | undefined): Promise<Check> {
  const answers = await within(store.check(), answerMs, () => new Error('late')).then(
    () => true,
    () => false,
  )
  const [damage] = integrity.problems()
  if (damage !== undefined) return { ok: false, detail: `damaged: ${damage}` }
  if (!answers) return { ok: false, detail: 'the database does not answer; see the daemon log' }
  return problem
    ? { ok: false, detail: `${problem}: nothing can be saved; reading still works` }
    : { ok: true }
}
