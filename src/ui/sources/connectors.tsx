import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Empty, Failure, Loading } from '../parts/placeholders.js'
import { type Column, VirtualTable } from '../parts/table/virtual-table.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'

export type Connector = Reply<'GET /api/connectors'>['connectors'][number]

const tones = { idle: undefined, syncing: 'warn', error: 'bad' } as const

const columns: readonly Column<Connector>[] = [
  { title: 'Name', width: 'minmax(7rem, 1fr)', cell: ({ display_name: name }) => name },
  {
    title: 'Folder',
    width: 'minmax(0, 1fr)',
    wide: true,
    cell: connector => <span class="dim">{folderOf(connector)}</span>,
  },
  {
    title: 'State',
    width: 'minmax(6rem, 16rem)',
    cell: ({ status, last_error: error }) => <span class={tones[status]}>{error ?? status}</span>,
  },
  { title: 'Last sync', width: '10rem', cell: ({ last_sync_at: at }) => <Time at={at} /> },
]

/** Returns the folder of a connector, or its provider. */
export function folderOf({ config_json: settings, provider }: Connector): string {
  const { rootPath } = JSON.parse(settings) as { rootPath?: unknown }
  return typeof rootPath === 'string' ? rootPath : provider
}

/** Folders whose documents are imported on demand. */
export function Connectors({ onAdd }: { onAdd: () => void }) {
  const loaded = useFollowed(
    signal => call('GET /api/connectors', {}, { signal }),
    [changes.value],
    ({ connectors }) => connectors.some(({ status }) => status === 'syncing'),
  )
  const connectors = loaded.value?.connectors
  return (
    <>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {!connectors && !loaded.error && <Loading />}
      {connectors?.length === 0 && (
        <Empty title="No connected folders">
          <p>A folder of documents is synced on request; sources are synced automatically.</p>
          {may('documents') && (
            <p>
              <button type="button" onClick={onAdd}>
                Connect a folder…
              </button>
            </p>
          )}
        </Empty>
      )}
      {connectors && connectors.length > 0 && (
        <VirtualTable
          label="Connectors"
          columns={columns}
          count={connectors.length}
          rowAt={position => connectors[position]}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(addressOf('sources', ['connectors', id]))}
        />
      )}
    </>
  )
}
