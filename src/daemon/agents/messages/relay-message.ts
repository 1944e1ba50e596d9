import type { Message } from '../../../contract/agents/messages.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { MessageRow } from '../../../store/tables/agents/messages.js'
import type { Tables } from '../../../store/tables/tables.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { runAlone, underWay } from '../programs/open-runs.js'
import { handOver } from './acp.js'
import { toMessage } from './message.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'configuration'>

/** The first and two by hand (messages.md 3.5). */
const maxAttempts = 3

/** Keys of what runs now. */
const keyStart = 'relay:'

/**
 * Hands a message to the server that it goes to, once. Written down before and after: a kill between the two leaves it
 * `indeterminate`, and nothing is sent again by itself (messages.md 3.5).
 * @param store of a new message: stores it, once nobody can take it for one that an earlier daemon left.
 * @throws AppError `conflict` when it is not in the state `from`, or has had its attempts.
 */
export async function relayMessage(
  deps: Deps,
  message: MessageRow,
  { from, store: add }: { from: 'pending' | 'indeterminate'; store?: () => Promise<void> },
): Promise<Message> {
  const { id } = message
  const { store, clock, configuration } = deps
  const busy = `message ${id} is being relayed now`
  await runAlone(deps, { key: keyStart + id, busy }, async signal => {
    await add?.()
    const now = () => clock().toISOString()
    const begun = await store.transaction(({ messageRelays }) =>
      messageRelays.begin(id, { from, maxAttempts, now: now() }),
    )
    const relay = await relayOf(store.tables, id)
    if (!begun) throw notAgain(id, relay)
    const end = await handOver(relay, message, {
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
  if (!relay) throw new AppError('conflict', `message ${id} stands in an inbox here and is not relayed`)
  return relay
}

function notAgain(id: string, { state, attempts }: { state: string; attempts: number }): AppError {
  const why =
    state === 'indeterminate'
      ? `was relayed ${attempts} times, which is all; ask the other side whether it arrived`
      : `is ${state}; only one that is indeterminate is relayed again`
  return new AppError('conflict', `message ${id} ${why}`)
}

/** What the daemon before this one had in hand when it ended; requests of this one may be on their way already. */
export async function loseRelays(deps: Pick<Daemon, 'store' | 'clock'>): Promise<void> {
  const { store, clock } = deps
  await store.transaction(({ messageRelays }) =>
    messageRelays.lose(underWay(deps, keyStart), {
      error: 'the daemon ended while the message was on its way',
      now: clock().toISOString(),
    }),
  )
}
