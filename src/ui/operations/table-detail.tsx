import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { Dialog } from '../parts/dialog.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { usePaged } from '../parts/table/paged.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { countText, Fact, LongText } from '../parts/values.js'
import { addressOf } from '../routing/place.js'

type Table = Reply<'GET /api/diagnostics/database/schema'>['tables'][number]
type Row = Reply<'GET /api/diagnostics/database/tables/:table/sample'>['rows'][number]

/** Number of separate columns; all other fields share one. */
const separateColumns = 2

/** One database table with its structure and raw rows, without vectors and secrets. */
export function TableDetail({ name, table }: { name: string; table: Table | undefined }) {
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
