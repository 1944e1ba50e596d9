import type { ExecutionContext } from 'ava'
import type { DiscordSettings } from '../../../src/contract/knowledge/sources/discord.js'
import { followServers, gatewayKey } from '../../../src/daemon/knowledge/sources/discord/watch.js'
import { systemTimers } from '../../../src/lib/time/timers.js'
import { until } from '../embedding-fakes.js'
import { guildDeps, guildSource, Rows } from './rows.js'
import type { DiscordFake } from './server.js'

export interface Following {
  rows: Rows
  /** Rejects with the error that ended it. */
  ended: Promise<unknown>
  /** Requested waits in milliseconds. */
  waits: number[]
  stop(): Promise<void>
  /** Resolves once the session with that number is connected and its gap is filled. */
  connected(sessions?: number): Promise<void>
  /** The stored session. */
  session(): { id: string; sequence: number } | null
}

/** Follows a server over the gateway into rows, until the test ends. */
export function follow(
  t: ExecutionContext,
  discord: DiscordFake,
  fields: Partial<DiscordSettings>,
  rows = new Rows(),
): Following {
  const stop = new AbortController()
  const waits: number[] = []
  const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    waits.push(ms)
    await new Promise(resolve => setTimeout(resolve, 1))
    signal.throwIfAborted()
  }
  const source = guildSource({ syncMode: 'gateway-tail', ...fields })
  const pass = rows.pass({ signal: stop.signal, secret: async () => discord.token })
  const events = followServers(guildDeps(discord), source, pass, {
    wait,
    timers: systemTimers,
    random: () => 0,
  })
  const ended = rows.take(events).then(
    () => undefined,
    error => error as unknown,
  )
  const session: Following['session'] = () =>
    JSON.parse(rows.checkpoints.get(gatewayKey) ?? '{"session":null}').session
  const finish = async (): Promise<void> => {
    stop.abort(new Error('stopped'))
    await ended
  }
  t.teardown(finish)
  return {
    rows,
    ended,
    waits,
    session,
    stop: finish,
    connected: (sessions = 1) => until(() => session()?.id === `session-${sessions}`),
  }
}
