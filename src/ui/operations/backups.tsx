import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { formatBytes } from '../../lib/text/count-of.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Command } from '../parts/command.js'
import { Empty, Failure, Loading, Progress } from '../parts/placeholders.js'
import { Time } from '../parts/time.js'
import { runAndReport } from '../parts/toast.js'
import { countText } from '../parts/values.js'
import { CheckBackup, RestoreBackup, UndoRestore } from './backup-dialogs.js'

type List = Reply<'GET /api/backup'>
type Backup = List['backups'][number]

const doings = { create: 'Backing up', verify: 'Verifying', restore: 'Preparing restore' } as const
const phases = { database: 'database', files: 'files', checking: 'verifying' } as const

interface OpenDialog {
  deed: 'check' | 'restore'
  id: string
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
