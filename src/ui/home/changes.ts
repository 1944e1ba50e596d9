import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { listen } from '../api/events.js'

type Event = Reply<'GET /api/memories/stream'>
export type Change = Extract<Event, { type: 'changed' }>

export interface Changes {
  /** The last one first; undefined until it is known whether there are any. */
  latest: readonly Change[] | undefined
  /** Counted up whenever something changes while it is looked at. */
  count: number
  isLost: boolean
}

const shown = 8

/** What becomes of memories, as it happens. A connection that comes back begins with what was last. */
export function useChanges(): Changes {
  const [{ latest, count }, setTold] = useState<Omit<Changes, 'isLost'>>({ latest: undefined, count: 0 })
  const [isLost, setLost] = useState(false)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round asks anew
  useEffect(() => {
    const left = new AbortController()
    /** How many follow that were before this connection, and how many connections there were. */
    const before = { left: 0, times: 0 }
    const onEvent = (data: unknown) => {
      const event = data as Event
      if (event.type === 'dropped') setRound(now => now + 1)
      else if (event.type === 'connected') {
        Object.assign(before, { left: event.last, times: before.times + 1 })
        // What came while the connection was lost is counted as one.
        setTold(told => ({ latest: [], count: told.count + (before.times > 1 ? 1 : 0) }))
      } else {
        const isLive = before.left === 0
        if (!isLive) before.left--
        setTold(told => ({
          latest: [event, ...(told.latest ?? [])].slice(0, shown),
          count: told.count + (isLive ? 1 : 0),
        }))
      }
    }
    const handlers = { onEvent, onState: (state: string) => setLost(state === 'lost') }
    void listen('GET /api/memories/stream', { query: { last: shown } }, handlers, left.signal)
    return () => left.abort()
  }, [round])
  return { latest, count, isLost }
}
