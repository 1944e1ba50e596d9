import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useFollowed, useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm, Dialog } from '../parts/dialog.js'
import { Empty, Failure, Loading, Progress } from '../parts/placeholders.js'
import { runAndReport, showMessage } from '../parts/toast.js'
import { Command, countText, Fact, Time } from '../parts/values.js'

type List = Reply<'GET /api/backup'>
type Backup = List['backups'][number]

const doings = { create: 'Backing up', verify: 'Verifying', restore: 'Preparing restore' } as const
const phases = { database: 'database', files: 'files', checking: 'verifying' } as const

interface OpenDialog {
  deed: 'check' | 'restore'
  id: string
}

const prepared = 'Prepared. Apply it with memory daemon restart'

interface DialogProps {
  id: string
  onClose: () => void
}

/** Backups with actions to create, verify and restore them. */
export function Backups() {
  const [asked, setAsked] = useState<OpenDialog>()
  const { value, error, reload } = useFollowed(
    signal => call('GET /api/backup', {}, { signal }),
    [],
    ({ running }) => running !== null,
  )
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  const { backups, running } = value
  const make = () =>
    runAndReport(() => call('POST /api/backup', { body: { wait: false } }), 'Backup started', reload)
  const end = () => {
    setAsked(undefined)
    reload()
  }
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <Restores list={value} onDone={reload} />
      <p class="line">
        {may('admin') && (
          <button type="button" disabled={running !== null} onClick={make}>
            Back up now
          </button>
        )}
        <BackupStatus list={value} />
      </p>
      {backups.length === 0 && (
        <Empty title="No backups yet">
          <p>A backup contains all memories, files, settings and encrypted secrets, but not their key.</p>
        </Empty>
      )}
      <ul class="plain-list lined" aria-label="Backups">
        {backups.map(backup => (
          <Row key={backup.id} backup={backup} isBusy={running !== null} onAsk={setAsked} />
        ))}
      </ul>
      {asked?.deed === 'check' && <CheckBackup id={asked.id} onClose={end} />}
      {asked?.deed === 'restore' && <RestoreBackup id={asked.id} onClose={end} />}
    </>
  )
}

/** The running operation, or the backup schedule. */
function BackupStatus({ list: { running, settings, folder, lastError } }: { list: List }) {
  if (running)
    return (
      <span class="line" role="status">
        {doings[running.what]}: {phases[running.phase]}
        <Progress label={doings[running.what]} done={running.done} total={running.total || null} />
      </span>
    )
  return (
    <span class="dim words">
      {settings.enabled
        ? `Automatic backup every ${countText(settings.intervalHours, 'hour')}; the newest ${settings.keep} are kept`
        : 'Automatic backups are off (backup.enabled is false)'}
      , in <code>{folder}</code>
      {lastError && <span class="bad"> Last backup failed: {lastError}</span>}
    </span>
  )
}

function Row({
  backup,
  isBusy,
  onAsk,
}: {
  backup: Backup
  isBusy: boolean
  onAsk: (asked: OpenDialog) => void
}) {
  const { id, kind, createdAt, bytes, memories, files, problems } = backup
  return (
    <li class="line">
      <div class="grow">
        <strong>
          <Time at={createdAt} />
        </strong>{' '}
        {kind === 'scheduled' ? 'automatic' : 'manual'}, {formatBytes(bytes)}
        {memories !== null && `, ${countText(memories, 'memory', 'memories')}`}
        {files !== null && `, ${countText(files, 'file')}`}
        <p class="dim">
          <code>{id}</code>
        </p>
        {problems.map(problem => (
          <p key={problem} class="warn words">
            Database problem: {problem}
          </p>
        ))}
      </div>
      {may('admin') && (
        <>
          <button
            type="button"
            class="plain"
            disabled={isBusy}
            aria-label={`Verify ${id}`}
            onClick={() => onAsk({ deed: 'check', id })}
          >
            Verify
          </button>
          <button
            type="button"
            class="plain"
            disabled={isBusy}
            aria-label={`Restore ${id}`}
            onClick={() => onAsk({ deed: 'restore', id })}
          >
            Restore…
          </button>
        </>
      )}
    </li>
  )
}

/** A prepared restore, or the last one if it can be undone. */
function Restores({ list, onDone }: { list: List; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const { pendingRestore, lastRestore } = list
  if (!pendingRestore && !lastRestore?.canUndo) return null
  return (
    <section class="card" aria-label="Restore">
      {pendingRestore ? (
        <p class="words">
          <strong class="warn">
            {pendingRestore.kind === 'undo' ? 'The previous state' : pendingRestore.id}
          </strong>{' '}
          is restored at the next daemon start: <Command text="memory daemon restart" />. Anything saved until
          then is not in the restored workspace.
        </p>
      ) : (
        <p class="words">
          {lastRestore?.kind === 'undo' ? 'Restore undone' : `Restored ${lastRestore?.id}`}{' '}
          <Time at={lastRestore?.at} />; the previous state is kept for a month.
        </p>
      )}
      {may('admin') && (
        <button type="button" class="plain" onClick={() => setAsking(true)}>
          {pendingRestore ? 'Cancel restore…' : 'Undo restore…'}
        </button>
      )}
      {isAsking && (
        <UndoRestore
          list={list}
          onClose={() => {
            setAsking(false)
            onDone()
          }}
        />
      )}
    </section>
  )
}

/** Verifies a backup: reads it, opens its database and counts rows. */
function CheckBackup({ id, onClose }: DialogProps) {
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
function RestoreBackup({ id, onClose }: DialogProps) {
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
  const { createdAt, memories, files, secretsKey, synced } = plan
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
        {synced && (
          <Fact title="Sync">brings later changes back, and what was forgotten since stays forgotten</Fact>
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
function UndoRestore({ list: { pendingRestore, lastRestore }, onClose }: UndoProps) {
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
