import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { showMessage } from '../parts/toast.js'
import { countText, Fact } from '../parts/values.js'

const prepared = 'Prepared. Apply it with memory daemon restart'

interface DialogProps {
  id: string
  onClose: () => void
}

/** Verifies a backup: reads it, opens its database and counts rows. */
export function CheckBackup({ id, onClose }: DialogProps) {
  const { value, error, reload } = useLoaded(
    signal => call('POST /api/backup/:id/verify', { params: { id } }, { signal }),
    [id],
  )
  return (
    <Dialog title={`Verify ${id}`} onClose={onClose}>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading words="Reading the files and opening the database…" />}
      {value && (
        <>
          <p role="status" class={value.ok ? 'good' : 'bad'}>
            {value.ok ? 'Backup is intact' : 'Backup is damaged. Create a new one.'}
          </p>
          {value.problems.map(problem => (
            <p key={problem} class="bad words">
              {problem}
            </p>
          ))}
          <dl class="facts">
            <Fact title="Created">
              <Time at={value.createdAt} /> with version {value.version ?? 'unknown'}
            </Fact>
            <Fact title="Memories">{value.memories?.toLocaleString() ?? 'unknown'}</Fact>
            <Fact title="Rows">{rowsIn(value.tables)}</Fact>
            <Fact title="Files">
              {value.files.toLocaleString()}, {formatBytes(value.bytes)}
            </Fact>
          </dl>
        </>
      )}
      <footer>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  )
}

function rowsIn(tables: Readonly<Record<string, number>>): string {
  const counts = Object.values(tables)
  const rows = counts.reduce((sum, count) => sum + count, 0)
  return `${rows.toLocaleString()} in ${countText(counts.length, 'table')}, counted at creation`
}

/** Previews a restore and prepares it; it is applied at the next start. */
export function RestoreBackup({ id, onClose }: DialogProps) {
  const { value, error, reload } = useLoaded(
    signal => call('POST /api/backup/:id/restore', { params: { id }, body: { dryRun: true } }, { signal }),
    [id],
  )
  const act = async () => {
    await call('POST /api/backup/:id/restore', { params: { id }, body: { confirm: true } })
    showMessage(prepared)
  }
  return (
    <Confirm
      title={`Restore ${id}?`}
      deed="Prepare restore"
      typed="restore"
      isReady={value !== undefined}
      act={act}
      onClose={onClose}
    >
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading words="Loading preview…" />}
      {value && <RestorePlan plan={value} />}
    </Confirm>
  )
}

function RestorePlan({ plan }: { plan: Reply<'POST /api/backup/:id/restore'> }) {
  const { createdAt, memories, files, secretsKey } = plan
  return (
    <>
      <dl class="facts">
        <Fact title="Restores the state of">
          <Time at={createdAt} />
        </Fact>
        <Fact title="Memories">
          {memories.now.toLocaleString()} now, {memories.inBackup?.toLocaleString() ?? 'unknown'} in the
          backup
        </Fact>
        <Fact title="Files">
          {files.replaced.toLocaleString()} replaced, {files.added.toLocaleString()} added,{' '}
          {files.movedAway.toLocaleString()} moved away
        </Fact>
        {secretsKey === 'other' && (
          <Fact title="Secrets">
            <span class="warn">
              encrypted with another key: copy .secrets/machine.key from the original machine
            </span>
          </Fact>
        )}
      </dl>
      <p>
        The restore is prepared now and applied at the next daemon start. The current workspace is kept for a
        month, so you can undo the restore.
      </p>
    </>
  )
}

interface UndoProps {
  list: Reply<'GET /api/backup'>
  onClose: () => void
}

/** Cancels a prepared restore, or undoes the last one. */
export function UndoRestore({ list: { pendingRestore, lastRestore }, onClose }: UndoProps) {
  const act = async () => {
    const { message, restartRequired } = await call('POST /api/backup/undo', { body: { confirm: true } })
    showMessage(restartRequired ? prepared : message)
  }
  return (
    <Confirm
      title={pendingRestore ? 'Cancel the prepared restore?' : 'Undo the restore?'}
      deed={pendingRestore ? 'Cancel restore' : 'Undo restore'}
      isMild={pendingRestore !== null}
      act={act}
      onClose={onClose}
    >
      {pendingRestore ? (
        <p>The current workspace stays as it is.</p>
      ) : (
        <p>
          At the next daemon start the workspace returns to its state before the restore{' '}
          <Time at={lastRestore?.at} />. Changes since then are kept for a month and can be restored the same
          way.
        </p>
      )}
    </Confirm>
  )
}
