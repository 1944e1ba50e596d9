import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { Dialog } from '../parts/dialog.js'
import { Empty } from '../parts/empty.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { LongText } from '../parts/long-text.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { addressOf } from '../routing/place.js'

type Table = Reply<'GET /api/diagnostics/database/schema'>['tables'][number]
type Row = Reply<'GET /api/diagnostics/database/tables/:table/sample'>['rows'][number]

/** Columns that stand by themselves; the rest of a row is told in one. */
const apart = 2

/** One table of the database: what it is made of, and rows as they are stored, but for vectors and secrets. */
export function TableDetail({ name, table }: { name: string; table: Table | undefined }) {
  return (
    <>
      <p>
        <a href={addressOf('operations', ['diagnostics', 'tables'])}>← All tables</a>
      </p>
      <h2>{name}</h2>
      {table ? <Shape table={table} /> : <Empty title="There is no such table" />}
      {table?.sampleAllowed && <Rows table={table} />}
      {table && !table.sampleAllowed && <p class="dim">Its rows are not shown: nobody could read them.</p>}
    </>
  )
}

function Shape({ table: { group, kind, indexes, foreignKeys, sql } }: { table: Table }) {
  return (
    <>
      <dl class="facts">
        <Fact title="What it is">
          {kind}, {group}
        </Fact>
        {foreignKeys.length > 0 && (
          <Fact title="Leads to">
            {foreignKeys.map(({ columns, table: other }) => `${other} by ${columns.join(', ')}`).join('; ')}
          </Fact>
        )}
        {indexes.length > 0 && <Fact title="Found by">{indexes.map(index => index.name).join(', ')}</Fact>}
      </dl>
      {sql && (
        <details>
          <summary class="dim">Its statement</summary>
          <LongText label="Its statement" text={sql} />
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
  if (count === 0) return <Empty title="It holds nothing" />
  return (
    <>
      <p class="dim" role="status">
        {countOf(count, 'row')}, as stored
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
      {opened && <Whole row={opened} name={name} onClose={() => setOpened(undefined)} />}
    </>
  )
}

function columnsOf(names: readonly string[]): Column<Row>[] {
  const rest = names.slice(apart)
  return [
    ...names.slice(0, apart).map((name, position) => ({
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

function Whole({ row, name, onClose }: { row: Row; name: string; onClose: () => void }) {
  return (
    <Dialog title={`A row of ${name}`} onClose={onClose}>
      <dl class="facts details">
        {Object.entries(row).map(([column, value]) => (
          <Fact key={column} title={column}>
            {value === null ? <span class="dim">nothing</span> : <span class="words">{value}</span>}
          </Fact>
        ))}
      </dl>
    </Dialog>
  )
}
