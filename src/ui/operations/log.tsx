import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { type ApiError, asApiError } from '../api/api-error.js'
import { call } from '../api/call.js'
import { listen } from '../api/events.js'
import { Dialog } from '../parts/dialog.js'
import { SearchField, Select } from '../parts/fields.js'
import { useKeys } from '../parts/keys.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Command, Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { type PageProps, replace } from '../routing/router.js'
import { keptLines, mergeLines } from './log-lines.js'

const levels = {
  debug: 'all levels',
  info: 'info and above',
  warn: 'warnings and errors',
  error: 'errors',
} as const satisfies Record<Level, string>
const tones = { debug: 'dim', info: '', warn: 'warn', error: 'bad' } as const satisfies Record<Level, string>

const columns: readonly Column<Entry>[] = [
  { title: 'Time', width: '9.5rem', cell: ({ at }) => <Time at={at} /> },
  { title: 'Level', width: '4.5rem', cell: ({ level }) => <span class={tones[level]}>{level}</span> },
  {
    title: 'Category',
    width: '8rem',
    wide: true,
    cell: ({ category }) => <span class="dim">{category}</span>,
  },
  { title: 'Message', width: 'minmax(0, 1fr)', cell: ({ message }) => message },
]

/** The live log of the daemon. */
export function Log({ place }: PageProps) {
  const { q = '', category } = place.query
  const level =
    place.query.level !== undefined && place.query.level in levels ? (place.query.level as Level) : 'info'
  const log = useFollowedLog(level, category)
  const [frozen, setFrozen] = useState<readonly Entry[]>()
  const [opened, setOpened] = useState<Entry>()
  const narrow = (to: Record<string, string | undefined>) =>
    replace(addressOf('operations', ['log'], { q, category, level, ...to }))
  const toggle = () => setFrozen(frozen ? undefined : log.entries)
  useKeys([{ key: 'p', does: frozen ? 'Resume the log' : 'Pause the log', run: toggle }])
  const known = frozen ?? log.entries
  const rows = known?.filter(one => fits(one, q.toLowerCase())).reverse()
  const parts = [...new Set((log.entries ?? []).map(one => one.category))].sort()
  return (
    <>
      <div class="line filters">
        <SearchField label="Filter the log" value={q} onInput={text => narrow({ q: text })} />
        <Select label="Level" value={level} options={levels} onChoose={next => narrow({ level: next })} />
        <Select
          label="Category"
          value={category ?? ''}
          options={{
            '': 'all',
            ...Object.fromEntries([...parts, ...(category ? [category] : [])].map(one => [one, one])),
          }}
          onChoose={next => narrow({ category: next })}
        />
        <button type="button" class="plain" aria-pressed={frozen !== undefined} onClick={toggle}>
          {frozen ? 'Resume' : 'Pause'}
        </button>
      </div>
      <State log={log} frozen={frozen} />
      {log.error && <Failure error={log.error} />}
      {!rows && !log.error && <Loading />}
      {rows?.length === 0 && (
        <Empty title="No matching log entries">
          <p>Show more levels or remove filters.</p>
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
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function fits({ message, category }: Entry, words: string): boolean {
  return words === '' || message.toLowerCase().includes(words) || category.toLowerCase().includes(words)
}

function State({ log, frozen }: { log: FollowedLog; frozen: readonly Entry[] | undefined }) {
  const newer = frozen && log.entries ? log.entries.filter(one => !frozen.includes(one)).length : 0
  const words = {
    connecting: 'Connecting…',
    open: 'Live, newest first.',
    lost: 'Connection lost. Reconnecting; missed entries are loaded then.',
  }
  return (
    <p class={log.state === 'lost' ? 'warn' : 'dim'} role="status">
      {frozen ? `Paused; ${newer} newer.` : words[log.state]}
      {log.dropped > 0 && ` ${log.dropped} skipped because they arrived too fast.`} Full log:{' '}
      <Command text="memory daemon logs" />
    </p>
  )
}

function EntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  return (
    <Dialog title="Log entry" onClose={onClose}>
      <dl class="facts">
        <Fact title="Time">
          <Time at={entry.at} /> <span class="dim">{entry.at}</span>
        </Fact>
        <Fact title="Level">{entry.level}</Fact>
        <Fact title="Category">{entry.category}</Fact>
        <Fact title="Message">
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
  /** Oldest first; undefined until the first reply. */
  entries: readonly Entry[] | undefined
  state: 'connecting' | 'open' | 'lost'
  /** Number of entries lost because they arrived faster than they were read. */
  dropped: number
  error: ApiError | undefined
}

const nothing: FollowedLog = { entries: undefined, state: 'connecting', dropped: 0, error: undefined }

/** Follows the log live. After a lost connection the missed entries are loaded. */
function useFollowedLog(level: Level, category: string | undefined): FollowedLog {
  const [log, setLog] = useState(nothing)
  useEffect(() => {
    const left = new AbortController()
    const filter = { level, category }
    const add = (more: readonly Entry[]) =>
      setLog(now => ({ ...now, error: undefined, entries: mergeLines(now.entries ?? [], more) }))
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
