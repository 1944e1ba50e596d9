import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { formatBytes } from '../../lib/text/format-bytes.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/followed.js'
import { may } from '../api/session.js'
import { doNow } from '../parts/do-now.js'
import { Empty } from '../parts/empty.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { Progress } from '../parts/progress.js'
import { Time } from '../parts/time.js'
import { CheckBackup, RestoreBackup, UndoRestore } from './backup-dialogs.js'

type List = Reply<'GET /api/backup'>
type Backup = List['backups'][number]

const doings = { create: 'Backing up', verify: 'Checking', restore: 'Preparing a restore' } as const
const phases = { database: 'the database', files: 'files', checking: 'looking through it' } as const

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
    doNow(() => call('POST /api/backup', { body: { wait: false } }), 'It is made in the background', reload)
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
        <Empty title="There is no backup yet">
          <p>One holds all memories, files, settings and the encrypted secrets, never their key.</p>
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
        ? `By itself every ${countOf(settings.intervalHours, 'hour')}, the newest ${settings.keep} are kept`
        : 'None is made by itself (backup.enabled is false)'}
      , in <code>{folder}</code>
      {lastError && <span class="bad"> The last one failed: {lastError}</span>}
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
        {kind === 'scheduled' ? 'by itself' : 'by hand'}, {formatBytes(bytes)}
        {memories !== null && `, ${countOf(memories, 'memory', 'memories')}`}
        {files !== null && `, ${countOf(files, 'file')}`}
        <p class="dim">
          <code>{id}</code>
        </p>
        {problems.map(problem => (
          <p key={problem} class="warn words">
            The database had a fault: {problem}
          </p>
        ))}
      </div>
      {may('admin') && (
        <>
          <button
            type="button"
            class="plain"
            disabled={isBusy}
            aria-label={`Check ${id}`}
            onClick={() => onAsk({ deed: 'check', id })}
          >
            Check
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
            {pendingRestore.kind === 'undo' ? 'What was there before' : pendingRestore.id} is prepared
          </strong>{' '}
          and comes in when the daemon starts next: <code>memory daemon restart</code>. What is saved until
          then goes with what is there now.
        </p>
      ) : (
        <p class="words">
          {lastRestore?.kind === 'undo' ? 'A restore was taken back' : `${lastRestore?.id} was restored`}{' '}
          <Time at={lastRestore?.at} />; what was there before is kept for a month.
        </p>
      )}
      {may('admin') && (
        <button type="button" class="plain" onClick={() => setAsking(true)}>
          {pendingRestore ? 'Call it off…' : 'Take it back…'}
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
