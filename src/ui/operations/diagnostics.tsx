import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { labelOf } from '../../lib/text/labels.js'
import { nodeStates } from '../../lib/text/node-states.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Dialog } from '../parts/dialog.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { useInterval } from '../parts/use-interval.js'
import { countText, Fact, healthTones, LongText, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps } from '../routing/router.js'

type Report = Reply<'GET /api/diagnostics'>
type Finding = Pick<
  Report['queue']['findings'][number],
  'id' | 'severity' | 'evidence' | 'fix' | 'samples' | 'repair'
>

/** Shown during the first run after a start, which reads all rows. */
const firstLook = 'Checking stored data; this takes a few seconds with many memories…'
const tonesOf = { ok: 'dim', info: 'dim', warning: 'warn', error: 'bad' } as const

/** As often as a daemon tells the others that it lives. */
const lookEveryMs = 10_000

type Row = Reply<'GET /api/diagnostics/database/tables/:table/sample'>['rows'][number]

/** Number of separate columns; all other fields share one. */
const separateColumns = 2

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

type Node = ReturnType<typeof nodeStates<NonNullable<Reply<'GET /api/status'>['nodes']>[number]>>[number]

/** The daemons that share the database, each with its work; nothing for one that serves alone. */
function Nodes() {
  const round = useInterval(lookEveryMs)
  const { value, error, reload } = useLoaded(signal => call('GET /api/status', {}, { signal }), [round])
  if (!value) return error ? <Failure error={error} retry={reload} /> : null
  const { nodes = [], index, startedAt } = value
  if (nodes.length === 0) return null
  const isMixed = new Set(nodes.map(({ version }) => version)).size > 1
  return (
    <section class="stack" aria-label="Daemons">
      <h2>Daemons</h2>
      {error && <Failure error={error} retry={reload} />}
      {index.behindSeconds !== undefined && (
        <p class="warn">The daemon that shows this page is {index.behindSeconds} s behind the others.</p>
      )}
      <ul class="plain-list lined">
        {nodeStates(nodes, index.change, Date.now()).map(node => (
          <li key={`${node.name} ${node.url}`}>
            <strong class="words">{node.name}</strong>{' '}
            <span class={isMixed ? 'warn' : 'dim'}>{node.version}</span>{' '}
            <code class="dim words">{node.url}</code>
            {node.startedAt === startedAt && <span class="dim"> shows this page</span>}
            <NodeState node={node} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function NodeState({ node }: { node: Node }) {
  const { behind, isSilent, seenAt, stoppingSince, jobs, duties } = node
  return (
    <p class={`${isSilent || stoppingSince ? 'warn' : 'dim'} words`}>
      {stoppingSince && (
        <>
          Stopping since <Time at={stoppingSince} />.{' '}
        </>
      )}
      Last seen <Time at={seenAt} />.{' '}
      {behind === 0 ? 'Its index had all changes. ' : `Its index was ${countText(behind, 'change')} behind. `}
      {jobs > 0 && `It runs ${countText(jobs, 'job')}. `}
      {duties.length > 0 && `It does ${duties.join(', ')}.`}
    </p>
  )
}

/** One database table with its structure and raw rows, without vectors and secrets. */
function TableDetail({ name, table }: { name: string; table: Table | undefined }) {
  return (
    <>
      <p>
        <a href={addressOf('operations', ['diagnostics', 'tables'])}>← All tables</a>
      </p>
      <h2>{name}</h2>
      {table ? <TableStructure table={table} /> : <Empty title="Table not found" />}
      {table?.sampleAllowed && <Rows table={table} />}
      {table && !table.sampleAllowed && <p class="dim">Rows of internal tables are not shown.</p>}
    </>
  )
}

function TableStructure({ table: { group, kind, indexes, foreignKeys, sql } }: { table: Table }) {
  return (
    <>
      <dl class="facts">
        <Fact title="Type">
          {kind}, {group}
        </Fact>
        {foreignKeys.length > 0 && (
          <Fact title="References">
            {foreignKeys.map(({ columns, table: other }) => `${other} (${columns.join(', ')})`).join('; ')}
          </Fact>
        )}
        {indexes.length > 0 && <Fact title="Indexes">{indexes.map(index => index.name).join(', ')}</Fact>}
      </dl>
      {sql && (
        <details>
          <summary class="dim">SQL</summary>
          <LongText label="SQL" text={sql} />
        </details>
      )}
    </>
  )
}

function Rows({ table: { name, columns } }: { table: Table }) {
  const [opened, setOpened] = useState<Row>()
  const { count, rowAt, need, error, reload } = usePaged(
    async ({ offset, limit }, signal) => {
      const asked = { params: { table: name }, query: { offset, limit } }
      const { rows, rowCount } = await call('GET /api/diagnostics/database/tables/:table/sample', asked, {
        signal,
      })
      return { rows, total: rowCount }
    },
    [name],
  )
  if (error) return <Failure error={error} retry={reload} />
  if (count === undefined) return <Loading />
  if (count === 0) return <Empty title="No rows" />
  return (
    <>
      <p class="dim" role="status">
        {countText(count, 'row')}, as stored
      </p>
      <VirtualTable
        label={`Rows of ${name}`}
        columns={columnsOf(columns.map(column => column.name))}
        count={count}
        rowAt={rowAt}
        keyOf={row => JSON.stringify(row)}
        onNeed={need}
        onOpen={setOpened}
      />
      {opened && <RowDialog row={opened} name={name} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function columnsOf(names: readonly string[]): Column<Row>[] {
  const rest = names.slice(separateColumns)
  return [
    ...names.slice(0, separateColumns).map((name, position) => ({
      title: name,
      width: 'minmax(0, 14rem)',
      wide: position > 0,
      cell: (row: Row) => row[name],
    })),
    {
      title: rest.join(', '),
      width: 'minmax(0, 1fr)',
      cell: (row: Row) => <span class="dim">{rest.map(name => row[name] ?? '∅').join(' · ')}</span>,
    },
  ]
}

function RowDialog({ row, name, onClose }: { row: Row; name: string; onClose: () => void }) {
  return (
    <Dialog title={`Row of ${name}`} onClose={onClose}>
      <dl class="facts details">
        {Object.entries(row).map(([column, value]) => (
          <Fact key={column} title={column}>
            {value === null ? <span class="dim">null</span> : <span class="words">{value}</span>}
          </Fact>
        ))}
      </dl>
    </Dialog>
  )
}
