import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Fact } from '../parts/fact.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { say } from '../parts/toast.js'

const prepared = 'It is prepared; memory daemon restart takes it in'

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
    <Dialog title={`Check of ${id}`} onClose={onClose}>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading words="Reading it through and opening its database…" />}
      {value && (
        <>
          <p role="status" class={value.ok ? 'good' : 'bad'}>
            {value.ok ? 'It is whole' : 'It is not whole: make another one'}
          </p>
          {value.problems.map(problem => (
            <p key={problem} class="bad words">
              {problem}
            </p>
          ))}
          <dl class="facts">
            <Fact title="Made">
              <Time at={value.createdAt} /> by version {value.version ?? 'not known'}
            </Fact>
            <Fact title="Memories">{value.memories?.toLocaleString() ?? 'not known'}</Fact>
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
  return `${rows.toLocaleString()} in ${countOf(counts.length, 'table')}, as counted when it was made`
}

/** Previews a restore and prepares it; it is applied at the next start. */
export function RestoreBackup({ id, onClose }: DialogProps) {
  const { value, error, reload } = useLoaded(
    signal => call('POST /api/backup/:id/restore', { params: { id }, body: { dryRun: true } }, { signal }),
    [id],
  )
  const act = async () => {
    await call('POST /api/backup/:id/restore', { params: { id }, body: { confirm: true } })
    say(prepared)
  }
  return (
    <Confirm
      title={`Restore ${id}?`}
      deed="Prepare it"
      typed="restore"
      isReady={value !== undefined}
      act={act}
      onClose={onClose}
    >
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading words="Looking what it would change…" />}
      {value && <RestorePlan plan={value} />}
    </Confirm>
  )
}

function RestorePlan({ plan }: { plan: Reply<'POST /api/backup/:id/restore'> }) {
  const { createdAt, memories, files, secretsKey } = plan
  return (
    <>
      <dl class="facts">
        <Fact title="Becomes what it was">
          <Time at={createdAt} />
        </Fact>
        <Fact title="Memories">
          {memories.now.toLocaleString()} now, {memories.inBackup?.toLocaleString() ?? 'not known how many'}{' '}
          then
        </Fact>
        <Fact title="Files">
          {files.replaced.toLocaleString()} replaced, {files.added.toLocaleString()} added,{' '}
          {files.movedAway.toLocaleString()} moved away
        </Fact>
        {secretsKey === 'other' && (
          <Fact title="Secrets">
            <span class="warn">
              were sealed by another key: they need the .secrets/machine.key of their machine
            </span>
          </Fact>
        )}
      </dl>
      <p>
        It is read through and prepared now, and comes in when the daemon starts next. What is there now is
        kept for a month and can be brought back.
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
    say(restartRequired ? prepared : message)
  }
  return (
    <Confirm
      title={pendingRestore ? 'Call it off?' : 'Take the restore back?'}
      deed={pendingRestore ? 'Call it off' : 'Take it back'}
      isMild={pendingRestore !== null}
      act={act}
      onClose={onClose}
    >
      {pendingRestore ? (
        <p>What is there now stays.</p>
      ) : (
        <p>
          The workspace becomes what it was before the restore <Time at={lastRestore?.at} />, at the next
          start of the daemon. What was saved since then is kept for a month, and can be brought back
          likewise.
        </p>
      )}
    </Confirm>
  )
}
