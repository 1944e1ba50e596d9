import pg from 'pg'
import type { SharedChanges } from '../store.js'
import { connectionOf, type PostgresSettings } from './settings.js'
import { pidAfter, type Watch } from './watch.js'

const channel = 'memory_changed'
const tellEveryMs = 20
const connectAgainMs = 1000

export interface Notices extends SharedChanges {
  /** A transaction of this daemon was committed. @param change the newest of the database then */
  commit(change: number): void
  close(): Promise<void>
}

/**
 * Tells other daemons of changes, and hears of theirs, by a connection of its own: a notice in the
 * transaction of a change would take a lock of the whole server until its commit. A notice may be lost, so
 * daemons also look by themselves.
 */
export function openNotices(to: PostgresSettings, watch: Watch): Notices {
  const state = { committed: 0, toldAt: 0, isClosed: false, hear: (_: number): void => undefined }
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms).unref()
    timers.add(timer)
  }
  const line = openLine(to, watch, {
    hear: change => state.hear(change),
    onEnd: () => {
      if (!state.isClosed) later(connectAgainMs, line.connect)
    },
  })
  let isDue = false
  const tell = (): void => {
    isDue = false
    state.toldAt = performance.now()
    state.hear(state.committed)
    line.tell(state.committed)
  }
  return {
    committed: () => state.committed,
    commit: change => {
      if (change <= state.committed || state.isClosed) return
      state.committed = change
      if (isDue) return
      isDue = true
      later(Math.max(0, state.toldAt + tellEveryMs - performance.now()), tell)
    },
    listen: hear => {
      state.hear = hear
      line.connect()
    },
    close: async () => {
      state.isClosed = true
      for (const timer of timers) clearTimeout(timer)
      await line.close()
    },
  }
}

interface Hearing {
  hear(change: number): void
  onEnd(): void
}

function openLine(to: PostgresSettings, watch: Watch, { hear, onEnd }: Hearing) {
  let client: pg.Client | undefined
  let ownPid: number | undefined
  const listen = async (own: pg.Client): Promise<void> => {
    await own.connect()
    ownPid = await pidAfter(own, `LISTEN ${channel}`)
    watch.add(own, ownPid)
  }
  const connect = (): void => {
    const own = new pg.Client(connectionOf(to))
    client = own
    let isOver = false
    const over = (): void => {
      if (isOver) return
      isOver = true
      if (client === own) client = undefined
      own.end().catch(() => undefined)
      onEnd()
    }
    own.on('error', over)
    own.on('end', over)
    own.on('notification', ({ payload = '', processId }) => {
      const [schema, change] = payload.split(':')
      if (schema === to.schema && processId !== ownPid) hear(Number(change))
    })
    listen(own).catch(over)
  }
  return {
    connect,
    tell: (change: number): void => {
      client?.query('SELECT pg_notify($1, $2)', [channel, `${to.schema}:${change}`]).catch(() => undefined)
    },
    close: async (): Promise<void> => {
      await client?.end().catch(() => undefined)
    },
  }
}
