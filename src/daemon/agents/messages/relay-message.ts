import type { Message } from '../../../contract/agents/messages.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { MessageRow } from '../../../store/tables/agents/messages.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { runExclusively, runningKeys } from '../programs/open-runs.js'
import { toMessage } from './message.js'
import { postRun } from './post-run.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration'>

/** The first attempt and two manual retries (messages.md 3.5). */
const maxAttempts = 3

/** Prefix of the keys of running relays. */
const keyStart = 'relay:'

/**
 * Sends a message to its target server once. The state is stored before and after: a kill in between leaves
 * the message `indeterminate`, and it is never resent automatically (messages.md 3.5).
 * @param store stores a new message. It runs under the lock, so recovery can't mistake the message for one
 * that an earlier daemon left.
 * @throws AppError `conflict` when the message is not in the state `from` or has no attempts left.
 */
export async function relayMessage(
  deps: Deps,
  message: MessageRow,
  { from, store: add }: { from: 'pending' | 'indeterminate'; store?: () => Promise<void> },
): Promise<Message> {
  const { id } = message
  const { store, clock, configuration } = deps
  const busy = `message ${id} is being relayed now`
  await runExclusively(deps, { key: keyStart + id, busy }, async signal => {
    await add?.()
    const now = () => clock().toISOString()
    const begun = await store.transaction(({ messageRelays }) =>
      messageRelays.begin(id, { from, maxAttempts, now: now() }),
    )
    const relay = await relayOf(store.tables, id)
    if (!begun) throw relayRefused(id, relay)
    const end = await postRun(relay, message, {
      allowPrivate: configuration().settings.messages.allowPrivateHosts,
      signal,
    })
    const { state, receipt, error } = end
    await store.transaction(({ messageRelays }) =>
      messageRelays.end(id, { state, error, receipt_json: receipt && JSON.stringify(receipt) }, now()),
    )
  })
  return toMessage(message, await relayOf(store.tables, id), null)
}

async function relayOf({ messageRelays }: Pick<Tables, 'messageRelays'>, id: string) {
  const [relay] = await messageRelays.of([id])
  if (!relay)
    throw new AppError(
      'conflict',
      `message ${id} is in a local inbox; only messages sent with via acp are relayed`,
    )
  return relay
}

function relayRefused(id: string, { state, attempts }: { state: string; attempts: number }): AppError {
  const why =
    state === 'indeterminate'
      ? `was relayed ${attempts} times and has no retries left; ask the recipient whether it arrived`
      : `is ${state}; only an indeterminate message can be retried`
  return new AppError('conflict', `message ${id} ${why}`)
}

/**
 * Marks relays that a previous daemon left unfinished. Relays of this daemon may be running already and are
 * left alone.
 */
export async function closeLostRelays(deps: Pick<Daemon, 'store' | 'clock'>): Promise<void> {
  const { store, clock } = deps
  await store.transaction(({ messageRelays }) =>
    messageRelays.lose(runningKeys(deps, keyStart), {
      error: 'the daemon stopped while the message was being sent',
      now: clock().toISOString(),
    }),
  )
}
