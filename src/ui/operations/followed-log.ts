import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { listen } from '../api/events.js'
import { keptLines, withMore } from './log-lines.js'

export type Entry = Reply<'GET /api/logs'>['logs'][number]
export type Level = Entry['level']
type Event = Reply<'GET /api/logs/stream'>

export interface FollowedLog {
  /** Oldest first; undefined until the first came. */
  entries: readonly Entry[] | undefined
  state: 'connecting' | 'open' | 'lost'
  /** Entries that came faster than they were read. */
  dropped: number
  error: ApiError | undefined
}

const nothing: FollowedLog = { entries: undefined, state: 'connecting', dropped: 0, error: undefined }

/** The log as it is written. Whatever was said while the connection was lost is asked for once it is back. */
export function useFollowedLog(level: Level, category: string | undefined): FollowedLog {
  const [log, setLog] = useState(nothing)
  useEffect(() => {
    const left = new AbortController()
    const filter = { level, category }
    const add = (more: readonly Entry[]) =>
      setLog(now => ({ ...now, error: undefined, entries: withMore(now.entries ?? [], more) }))
    const catchUp = () =>
      call('GET /api/logs', { query: { ...filter, limit: keptLines } }, { signal: left.signal }).then(
        ({ logs }) => add(logs),
        (thrown: unknown) => {
          if (!left.signal.aborted) setLog(now => ({ ...now, error: asApiError(thrown) }))
        },
      )
    const onEvent = (data: unknown) => {
      const event = data as Event
      if (!('type' in event))
        setLog(now => ({ ...now, entries: [...(now.entries ?? []), event].slice(-keptLines) }))
      else if (event.type === 'connected') void catchUp()
      else setLog(now => ({ ...now, dropped: now.dropped + event.count }))
    }
    setLog(nothing)
    void listen(
      'GET /api/logs/stream',
      { query: filter },
      { onEvent, onState: state => setLog(now => ({ ...now, state })) },
      left.signal,
    )
    return () => left.abort()
  }, [level, category])
  return log
}
