import type { Client } from 'pg'
import { isUnavailable } from '../faults.js'
import { isReadOnly, outwaited } from './errors.js'
import { holder, type Sessions } from './sessions.js'

/** A connection that may only read is replaced, since the server may accept changes again. */
export async function rollBack(sessions: Sessions, own: Client, error: unknown): Promise<void> {
  if (isUnavailable(error)) return
  if (isReadOnly(error)) return sessions.discard(own)
  await own.query('ROLLBACK').catch(() => sessions.discard(own))
}

/** Ends a transaction that did not get the writers' lock. @throws AppError `storage_unavailable` */
export async function waitedInVain(
  { sessions, lock }: { sessions: Sessions; lock?: string | undefined },
  own: Client,
  error: unknown,
): Promise<never> {
  await rollBack(sessions, own, error)
  if (lock !== undefined) await endSilentHolder(own, lock).catch(() => undefined)
  throw outwaited(error)
}

/**
 * Ends the transaction that has a lock if the server has waited for its daemon longer than
 * `idle_in_transaction_session_timeout` allows. That time does not run between the messages of one statement,
 * so a daemon that vanished there, without the end of its connection, would keep the lock until TCP notices.
 */
async function endSilentHolder(client: Client, lock: string): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(a.pid) ${holder} AND a.state <> 'idle' AND a.wait_event = 'ClientRead'
      AND a.state_change < now() - current_setting('idle_in_transaction_session_timeout')::interval`,
    [lock],
  )
}
