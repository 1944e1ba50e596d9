import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call, changeSetting } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Dialog } from '../parts/dialog.js'
import { Select } from '../parts/fields.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { showFailure } from '../parts/toast.js'
import { Command, Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { type PageProps, replace } from '../routing/router.js'
import { mergeLines } from './log-lines.js'
import { Details, wordsOf } from './repairs.js'

type Health = Reply<'GET /api/telemetry/health'>
type StoredEvent = Reply<'GET /api/telemetry/events'>['events'][number]
type Line = StoredEvent & { at: string }

/** Events per request, and the maximum number that the daemon stores. */
const pageSize = 2000
const maxStored = 100_000

const columns: readonly Column<Line>[] = [
  { title: 'Time', width: '9.5rem', cell: ({ at }) => <Time at={at} /> },
  { title: 'Event', width: '14rem', cell: ({ event }) => event },
  {
    title: 'Properties',
    width: 'minmax(0, 1fr)',
    wide: true,
    cell: ({ properties }) => <span class="dim">{wordsOf(properties)}</span>,
  },
]

/** Every stored event unchanged: this is all that could ever be sent. */
export function StoredEvents({ place }: PageProps) {
  const { event } = place.query
  const { value, error, reload } = useLoaded(
    async signal => {
      const [health, lines] = await Promise.all([
        call('GET /api/telemetry/health', {}, { signal }),
        eventsUntil(event, undefined, signal),
      ])
      return { health, lines }
    },
    [event],
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <State health={value.health} reload={reload} />
      {value.lines.length === 0 && event === undefined ? (
        <Empty title="No events yet">
          <p>
            {value.health.enabled ? 'Events appear after a recall, a session or a job.' : 'Telemetry is off.'}
          </p>
        </Empty>
      ) : (
        <Lines key={event} event={event} newest={value.lines} reload={reload} />
      )}
    </>
  )
}

interface LinesProps {
  event: string | undefined
  newest: readonly Line[]
  reload: () => void
}

function Lines({ event, newest, reload }: LinesProps) {
  const [older, setOlder] = useState<readonly Line[]>([])
  const [opened, setOpened] = useState<Line>()
  const lines = mergeLines(older, newest, maxStored).reverse()
  const names = [...new Set([...lines.map(line => line.event), ...(event ? [event] : [])])].sort()
  const loadOlder = async () => {
    const more = await eventsUntil(event, lines.at(-1)?.at).catch(showFailure)
    if (more) setOlder(mergeLines(older, more, maxStored))
  }
  return (
    <>
      <div class="line filters">
        <Select
          label="Event"
          value={event ?? ''}
          options={{ '': 'all', ...Object.fromEntries(names.map(name => [name, name])) }}
          onChoose={next => replace(addressOf('operations', ['telemetry'], { event: next }))}
        />
        <span class="dim grow" role="status">
          {lines.length.toLocaleString()} shown, newest first
        </span>
        <button type="button" class="plain" onClick={reload}>
          Reload
        </button>
        {newest.length === pageSize && (
          <button type="button" class="plain" onClick={loadOlder}>
            Load older
          </button>
        )}
      </div>
      <VirtualTable
        label="Stored events, newest first"
        columns={columns}
        count={lines.length}
        rowAt={position => lines[position]}
        keyOf={line => JSON.stringify(line)}
        onOpen={setOpened}
      />
      {opened && <EventDialog line={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function EventDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  return (
    <Dialog title={line.event} onClose={onClose}>
      <dl class="facts">
        <Fact title="Time">
          <Time at={line.at} /> <span class="dim">{line.at}</span>
        </Fact>
      </dl>
      <Details of={line.properties} />
    </Dialog>
  )
}

async function eventsUntil(
  event: string | undefined,
  until: string | undefined,
  signal?: AbortSignal,
): Promise<Line[]> {
  const query = { event, until, limit: pageSize }
  const { events } = await call('GET /api/telemetry/events', { query }, signal ? { signal } : {})
  return events.map(one => ({ ...one, at: one.timestamp }))
}

function State({ health, reload }: { health: Health; reload: () => void }) {
  const turn = () =>
    changeSetting('memory.pipelineV2.telemetryEnabled', String(!health.enabled)).then(reload, showFailure)
  return (
    <section class="line" aria-label="Recording">
      <p>
        {health.enabled ? 'Events are recorded on this machine' : 'Recording is off'}
        {health.deliveryConfigured ? (
          <span class={health.status === 'degraded' ? 'warn' : undefined}>
            ; they are sent to the address in agent.yaml ({health.queuedUnsentEventCount.toLocaleString()}{' '}
            queued).
          </span>
        ) : (
          '; nothing is sent.'
        )}{' '}
        <span class="dim">
          Events never contain memory texts or queries. Export them:{' '}
          <Command text="memory telemetry export" />
        </span>
      </p>
      {may('admin') && (
        <button type="button" class="plain" onClick={turn}>
          {health.enabled ? 'Turn recording off' : 'Turn recording on'}
        </button>
      )}
    </section>
  )
}
