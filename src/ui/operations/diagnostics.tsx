import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { countText } from '../parts/count-text.js'
import { Failure } from '../parts/failure.js'
import { healthTones } from '../parts/health-tones.js'
import { Loading } from '../parts/loading.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import type { PageProps } from '../routing/page-props.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { Nodes } from './nodes.js'
import { TableDetail } from './table-detail.js'

type Report = Reply<'GET /api/diagnostics'>
type Finding = Pick<
  Report['queue']['findings'][number],
  'id' | 'severity' | 'evidence' | 'fix' | 'samples' | 'repair'
>

/** Shown during the first run after a start, which reads all rows. */
const firstLook = 'Checking stored data; this takes a few seconds with many memories…'
const tonesOf = { ok: 'dim', info: 'dim', warning: 'warn', error: 'bad' } as const

/** The state of each domain, and the stored tables. */
export function Diagnostics({ place }: PageProps) {
  const [, part, name] = place.rest
  return part === 'tables' ? <Tables name={name} /> : <AllDomains />
}

/** The state of each domain with findings and remedies. */
function AllDomains() {
  const [looks, setLooks] = useState(0)
  const { value, error, isLoading, reload } = useLoaded(
    signal => call('GET /api/diagnostics', { query: looks > 0 ? { refresh: 'true' } : {} }, { signal }),
    [looks],
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading words={firstLook} />
  const { composite, survey } = value
  // Sorts the worst domain first.
  const parts = [...composite.parts].sort((a, b) => a.score - b.score)
  return (
    <>
      <section class="line" aria-label="Overall health">
        <p class={`figure ${healthTones[composite.status]}`}>
          {composite.status}, {percent(composite.score)}
        </p>
        <p class="dim grow">
          {survey ? (
            <>
              Rows checked <Time at={survey.startedAt} /> in {Math.round(survey.tookMs)} ms
              {!survey.complete && `, except ${survey.leftOut.join(', ')}`}
            </>
          ) : (
            'Rows cannot be checked right now'
          )}
        </p>
        <button type="button" class="plain" disabled={isLoading} onClick={() => setLooks(looks + 1)}>
          {isLoading ? 'Checking…' : 'Check again'}
        </button>
      </section>
      {error && <Failure error={error} retry={reload} />}
      <ul class="plain-list lined domains">
        {parts.map(({ domain, score, status }) => (
          <li key={domain}>
            <h2>{labelOf('domain', domain)}</h2>
            <p class={healthTones[status]}>
              {status} {percent(score)}
            </p>
            <Findings findings={findingsOf(value, domain)} />
          </li>
        ))}
      </ul>
      <Storage />
      <Nodes />
      <p>
        <a href={addressOf('operations', ['diagnostics', 'tables'])}>Browse database tables</a>
      </p>
    </>
  )
}

/** Where memories are stored, with the checks of that store. */
function Storage() {
  const { value, error, reload } = useLoaded(signal => call('GET /api/storage', {}, { signal }), [])
  if (!value) return error ? <Failure error={error} retry={reload} /> : null
  const { kind, place, bytes, checks } = value
  return (
    <section aria-label="Storage">
      <h2>{kind === 'server' ? 'PostgreSQL' : 'Database file'}</h2>
      <p>
        <code>{place}</code>
        {bytes !== null && `, ${formatBytes(bytes)}`}
      </p>
      <Findings findings={checks} />
    </section>
  )
}

function findingsOf(report: Report, domain: string): readonly Finding[] {
  const part = report[domain as keyof Report] as { findings?: readonly Finding[] } | undefined
  return part?.findings ?? []
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul class="plain-list">
      {findings.map(finding => (
        <li key={`${finding.id} ${finding.evidence}`}>
          <span class={tonesOf[finding.severity]}>{finding.evidence}</span>
          {finding.samples && finding.samples.length > 0 && (
            <span class="dim words"> ({finding.samples.join(', ')})</span>
          )}
          {finding.fix && <p class="dim words">{finding.fix}</p>}
          {finding.repair && may('admin') && (
            <p>
              <a href={addressOf('operations', ['repair', finding.repair])}>Preview repair</a>
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function percent(score: number): string {
  return `${Math.round(100 * score)} %`
}

type Table = Reply<'GET /api/diagnostics/database/schema'>['tables'][number]

const columns: readonly Column<Table>[] = [
  { title: 'Table', width: 'minmax(0, 1fr)', cell: ({ name }) => name },
  { title: 'Group', width: '8rem', wide: true, cell: ({ group }) => <span class="dim">{group}</span> },
  { title: 'Rows', width: '7rem', cell: ({ rowCount }) => rowCount?.toLocaleString() ?? '' },
  { title: 'Columns', width: '6rem', wide: true, cell: ({ columns: all }) => all.length },
]

/** The stored tables with some rows of each. */
function Tables({ name }: { name: string | undefined }) {
  const { value, error, reload } = useLoaded(
    signal => call('GET /api/diagnostics/database/schema', {}, { signal }),
    [],
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  if (name !== undefined)
    return <TableDetail key={name} name={name} table={value.tables.find(table => table.name === name)} />
  return (
    <>
      <p class="line">
        <a href={addressOf('operations', ['diagnostics'])}>← Diagnostics</a>
        <span class="dim" role="status">
          {countText(value.tables.length, 'table')}
        </span>
      </p>
      <VirtualTable
        label="Tables of the database"
        columns={columns}
        count={value.tables.length}
        rowAt={position => value.tables[position]}
        keyOf={table => table.name}
        onOpen={table => navigate(addressOf('operations', ['diagnostics', 'tables', table.name]))}
      />
    </>
  )
}
