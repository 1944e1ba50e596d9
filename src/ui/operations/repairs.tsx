import type { Address, Reply, Request } from '../../contract/api.js'
import { wordsOfName } from '../../lib/text/names.js'
import { call } from '../api/call.js'
import { useFollowed, useLoaded } from '../api/loaded.js'
import { Confirm } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { showMessage } from '../parts/toast.js'
import { Fact, Time } from '../parts/values.js'
import { addressOf } from '../routing/place.js'
import { navigate, type PageProps } from '../routing/router.js'

type RepairRow = Reply<'GET /api/repair'>['repairs'][number]
type Outcome = Reply<'POST /api/repair/requeue-dead'>

/** Repairs of the store, each with a preview. */
export function Repairs({ place }: PageProps) {
  const { value, error, reload } = useFollowed(
    signal => call('GET /api/repair', {}, { signal }),
    [],
    ({ repairs }) => repairs.some(({ lastRun }) => lastRun?.outcome === 'running'),
  )
  const open = value?.repairs.find(({ name }) => name === place.rest[1])
  const close = () => navigate(addressOf('operations', ['repair']))
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading />
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      <ul class="plain-list lined">
        {value.repairs.map(repair => (
          <li key={repair.name} class="line">
            <div class="grow">
              <strong>{repair.name}</strong> <span>{repair.summary}</span>
              <LastRun repair={repair} />
            </div>
            <a
              class="as-button quiet"
              href={addressOf('operations', ['repair', repair.name])}
              aria-label={`${repair.isReading ? 'Count' : 'Preview'}: ${repair.name}`}
            >
              {repair.isReading ? 'Count' : 'Preview…'}
            </a>
          </li>
        ))}
      </ul>
      {open && <RepairDialog key={open.name} repair={open} onClose={close} onDone={reload} />}
    </>
  )
}

function LastRun({ repair: { lastRun, isReading, callsLeft, nextAt } }: { repair: RepairRow }) {
  return (
    <p class="dim">
      {!lastRun && (isReading ? 'read-only' : 'no runs yet')}
      {lastRun && (
        <>
          <Time at={lastRun.startedAt} /> by {lastRun.actor}: {lastRun.outcome},{' '}
          {lastRun.affected.toLocaleString()} affected
        </>
      )}
      {callsLeft === 0 && nextAt && (
        <>
          , next run possible <Time at={nextAt} />
        </>
      )}
    </p>
  )
}

interface RepairDialogProps {
  repair: RepairRow
  onClose: () => void
  onDone: () => void
}

/** Shows the dry run, then runs one batch of a size that the daemon chooses. */
function RepairDialog({ repair: { name, summary, isReading }, onClose, onDone }: RepairDialogProps) {
  const preview = useLoaded(
    signal => (isReading ? ask(`GET /api/repair/${name}`, undefined, signal) : run(name, true, signal)),
    [],
  )
  const act = async () => {
    if (isReading) return
    const { message, success } = await run(name, false)
    showMessage(success ? message : `Repair failed: ${message}`)
    onDone()
  }
  const affected = preview.value?.affected ?? 0
  return (
    <Confirm
      title={name}
      deed={isReading ? 'Done' : 'Repair'}
      isReady={isReading || affected > 0}
      isMild={isReading}
      act={act}
      onClose={onClose}
    >
      <p class="dim">{summary}</p>
      {preview.error && <Failure error={preview.error} retry={preview.reload} />}
      {!preview.value && !preview.error && <Loading />}
      {preview.value && (
        <>
          <p class="words">{preview.value.message}</p>
          <Details of={preview.value.details ?? {}} />
          {!isReading && affected === 0 && <p class="dim">Nothing to repair.</p>}
          {affected > 0 && <p class="dim">Large repairs run in batches; preview again for the rest.</p>}
        </>
      )}
    </Confirm>
  )
}

function run(name: string, isDry: boolean, signal?: AbortSignal): Promise<Outcome> {
  return ask(
    `POST /api/repair/${name}`,
    name === 'check-fts' ? { repair: !isDry } : { dryRun: isDry },
    signal,
  )
}

/** All repairs have the same form of reply. */
function ask(address: string, body: object | undefined, signal?: AbortSignal): Promise<Outcome> {
  const request = (body ? { body } : {}) as Request<Address>
  return call(address as Address, request, signal ? { signal } : {}) as Promise<Outcome>
}

/** Further fields of a reply of any shape: figures and texts as facts, lists line by line. */
export function Details({ of }: { of: Readonly<Record<string, unknown>> }) {
  const fields = Object.entries(of).filter(([, value]) => value !== null && value !== '' && value !== 0)
  if (fields.length === 0) return null
  return (
    <dl class="facts details">
      {fields.map(([name, value]) => (
        <Fact key={name} title={wordsOfName(name).join(' ')}>
          {Array.isArray(value) ? (
            <ul class="plain-list">
              {value.map(one => (
                <li key={JSON.stringify(one)} class="words">
                  {wordsOf(one)}
                </li>
              ))}
            </ul>
          ) : (
            <span class="words">{wordsOf(value)}</span>
          )}
        </Fact>
      ))}
    </dl>
  )
}

/** Fields in one line: `stage embed, outcome accepted`. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString()
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(
      ([name, one]) =>
        `${wordsOfName(name).join(' ')} ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`,
    )
    .join(', ')
}
