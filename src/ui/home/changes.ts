import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { listen } from '../api/events.js'

type Event = Reply<'GET /api/memories/stream'>
export type Change = Extract<Event, { type: 'changed' }>

export interface Changes {
  /** Newest first; undefined until the first reply. */
  latest: readonly Change[] | undefined
  /** Increased by every change while the page is open. */
  count: number
  /** Increased when sessions ask something or are given a context, and by a new connection. */
  activity: number
  isLost: boolean
}

const shown = 12

/** Follows changes of memories live. A restored connection begins with the latest ones. */
export function useChanges(): Changes {
  const [{ latest, count, activity }, setState] = useState<Omit<Changes, 'isLost'>>({
    latest: undefined,
    count: 0,
    activity: 0,
  })
  const [isLost, setLost] = useState(false)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round connects again
  useEffect(() => {
    const left = new AbortController()
    /** Number of earlier changes still to come on this connection, and the number of connections so far. */
    const before = { left: 0, times: 0 }
    const onEvent = (data: unknown) => {
      const event = data as Event
      if (event.type === 'dropped') setRound(now => now + 1)
      else if (event.type === 'activity') setState(state => ({ ...state, activity: state.activity + 1 }))
      else if (event.type === 'connected') {
        Object.assign(before, { left: event.last, times: before.times + 1 })
        // Changes during a lost connection count as one.
        const missed = before.times > 1 ? 1 : 0
        setState(state => ({ latest: [], count: state.count + missed, activity: state.activity + missed }))
      } else {
        const isLive = before.left === 0
        if (!isLive) before.left--
        setState(state => ({
          ...state,
          latest: [event, ...(state.latest ?? [])].slice(0, shown),
          count: state.count + (isLive ? 1 : 0),
        }))
      }
    }
    const handlers = { onEvent, onState: (state: string) => setLost(state === 'lost') }
    void listen('GET /api/memories/stream', { query: { last: shown } }, handlers, left.signal)
    return () => left.abort()
  }, [round])
  return { latest, count, activity, isLost }
}
