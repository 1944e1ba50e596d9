import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { listen } from '../api/events.js'
import { Dialog } from '../parts/dialog.js'
import { Empty } from '../parts/empty.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Select } from '../parts/fields/field.js'
import { SearchField } from '../parts/fields/search-field.js'
import { useKeys } from '../parts/keys.js'
import { Loading } from '../parts/loading.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { replace } from '../routing/router.js'
import { keptLines, withMore } from './log-lines.js'

const levels = {
  debug: 'everything',
  info: 'what happens',
  warn: 'warnings and errors',
  error: 'errors',
} as const satisfies Record<Level, string>
const tones = { debug: 'dim', info: '', warn: 'warn', error: 'bad' } as const satisfies Record<Level, string>

const columns: readonly Column<Entry>[] = [
  { title: 'When', width: '9.5rem', cell: ({ at }) => <Time at={at} /> },
  { title: 'Level', width: '4.5rem', cell: ({ level }) => <span class={tones[level]}>{level}</span> },
  { title: 'Part', width: '8rem', wide: true, cell: ({ category }) => <span class="dim">{category}</span> },
  { title: 'What', width: 'minmax(0, 1fr)', cell: ({ message }) => message },
]

/** What the daemon says, as it says it. */
export function Log({ place }: PageProps) {
  const { q = '', category } = place.query
  const level =
    place.query.level !== undefined && place.query.level in levels ? (place.query.level as Level) : 'info'
  const log = useFollowedLog(level, category)
  const [held, setHeld] = useState<readonly Entry[]>()
  const [opened, setOpened] = useState<Entry>()
  const narrow = (to: Record<string, string | undefined>) =>
    replace(addressOf('operations', ['log'], { q, category, level, ...to }))
  const toggle = () => setHeld(held ? undefined : log.entries)
  useKeys([{ key: 'p', does: held ? 'Go on with the log' : 'Hold the log still', run: toggle }])
  const known = held ?? log.entries
  const rows = known?.filter(one => fits(one, q.toLowerCase())).reverse()
  const parts = [...new Set((log.entries ?? []).map(one => one.category))].sort()
  return (
    <>
      <div class="line filters">
        <SearchField label="Filter the log" value={q} onInput={text => narrow({ q: text })} />
        <Select label="Show" value={level} options={levels} onChoose={next => narrow({ level: next })} />
        <Select
          label="Part"
          value={category ?? ''}
          options={{
            '': 'all',
            ...Object.fromEntries([...parts, ...(category ? [category] : [])].map(one => [one, one])),
          }}
          onChoose={next => narrow({ category: next })}
        />
        <button type="button" class="plain" aria-pressed={held !== undefined} onClick={toggle}>
          {held ? 'Go on' : 'Hold'}
        </button>
      </div>
      <State log={log} held={held} />
      {log.error && <Failure error={log.error} />}
      {!rows && !log.error && <Loading />}
      {rows?.length === 0 && (
        <Empty title="Nothing was said that fits">
          <p>Show more levels, or take back what narrows the log.</p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <VirtualTable
          label="Log, newest first"
          columns={columns}
          count={rows.length}
          rowAt={position => rows[position]}
          keyOf={({ at, category: part, message }) => `${at} ${part} ${message}`}
          onOpen={setOpened}
        />
      )}
      {opened && <Whole entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function fits({ message, category }: Entry, words: string): boolean {
  return words === '' || message.toLowerCase().includes(words) || category.toLowerCase().includes(words)
}

function State({ log, held }: { log: FollowedLog; held: readonly Entry[] | undefined }) {
  const newer = held && log.entries ? log.entries.filter(one => !held.includes(one)).length : 0
  const words = {
    connecting: 'Connecting…',
    open: 'Live, newest first.',
    lost: 'The connection is lost. Trying again; what is said meanwhile is asked for then.',
  }
  return (
    <p class={log.state === 'lost' ? 'warn' : 'dim'} role="status">
      {held ? `Held still; ${newer} more came since.` : words[log.state]}
      {log.dropped > 0 && ` ${log.dropped} came faster than they could be shown.`} Details stand in the file:{' '}
      <code>memory daemon logs</code>
    </p>
  )
}

function Whole({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  return (
    <Dialog title="Said by the daemon" onClose={onClose}>
      <dl class="facts">
        <Fact title="When">
          <Time at={entry.at} /> <span class="dim">{entry.at}</span>
        </Fact>
        <Fact title="Level">{entry.level}</Fact>
        <Fact title="Part">{entry.category}</Fact>
        <Fact title="What">
          <span class="words">{entry.message}</span>
        </Fact>
      </dl>
    </Dialog>
  )
}

type Entry = Reply<'GET /api/logs'>['logs'][number]

type Level = Entry['level']

type Event = Reply<'GET /api/logs/stream'>

interface FollowedLog {
  /** Oldest first; undefined until the first came. */
  entries: readonly Entry[] | undefined
  state: 'connecting' | 'open' | 'lost'
  /** Entries that came faster than they were read. */
  dropped: number
  error: ApiError | undefined
}

const nothing: FollowedLog = { entries: undefined, state: 'connecting', dropped: 0, error: undefined }

/** The log as it is written. Whatever was said while the connection was lost is asked for once it is back. */
function useFollowedLog(level: Level, category: string | undefined): FollowedLog {
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
