import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { type Column, VirtualTable } from '../parts/virtual-table.js'
import { addressOf } from '../routing/place.js'
import { go } from '../routing/router.js'
import { TableDetail } from './table-detail.js'

type Table = Reply<'GET /api/diagnostics/database/schema'>['tables'][number]

const columns: readonly Column<Table>[] = [
  { title: 'Table', width: 'minmax(0, 1fr)', cell: ({ name }) => name },
  { title: 'For', width: '8rem', wide: true, cell: ({ group }) => <span class="dim">{group}</span> },
  { title: 'Rows', width: '7rem', cell: ({ rowCount }) => rowCount?.toLocaleString() ?? '' },
  { title: 'Columns', width: '6rem', wide: true, cell: ({ columns: all }) => all.length },
]

/** What is stored, table by table, with some rows of each. */
export function Tables({ name }: { name: string | undefined }) {
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
          {value.tables.length} tables
        </span>
      </p>
      <VirtualTable
        label="Tables of the database"
        columns={columns}
        count={value.tables.length}
        rowAt={position => value.tables[position]}
        keyOf={table => table.name}
        onOpen={table => go(addressOf('operations', ['diagnostics', 'tables', table.name]))}
      />
    </>
  )
}
