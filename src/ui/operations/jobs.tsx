import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/dialog.js'
import { Failure, Loading } from '../parts/placeholders.js'
import { runAndReport } from '../parts/toast.js'
import { addressOf } from '../routing/place.js'

type Status = Reply<'GET /api/pipeline/status'>

const modeTexts: Readonly<Record<Status['mode'], string>> = {
  'controlled-write': 'Facts are extracted from conversations in the background and saved.',
  shadow: 'Facts are extracted and recorded, but not applied.',
  paused: 'Background extraction is paused.',
  disabled: 'Background extraction is off (memory.pipelineV2.enabled is false).',
  frozen: 'The kill switch is on: all writes are blocked.',
}

/** Background work of the daemon, and its queues. */
export function Work() {
  const loaded = useFollowed(signal => call('GET /api/pipeline/status', {}, { signal }), [], isBusy)
  const { value, error, reload } = loaded
  if (error) return <Failure error={error} retry={reload} />
  if (!value) return <Loading />
  return (
    <>
      <Mode status={value} onChanged={reload} />
      <Queues queues={value.queues} />
      <Workers status={value} />
      <Conversion conversion={value.databaseMaintenance.vacuumConversion} />
    </>
  )
}

function isBusy({ workers, queues }: Status): boolean {
  return (
    Object.values(workers).some(({ inFlight }) => inFlight > 0) ||
    Object.values(queues).some(({ pending = 0, leased = 0 }) => pending + leased > 0)
  )
}

function Mode({ status: { mode, diagnostics }, onChanged }: { status: Status; onChanged: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const resume = () => runAndReport(() => call('POST /api/pipeline/resume'), 'Resumed', onChanged)
  const pause = async () => {
    await call('POST /api/pipeline/pause')
    onChanged()
  }
  return (
    <section class="line" aria-label="Mode">
      <p>
        Mode: <strong>{labelOf('pipelineMode', mode)}</strong>. {modeTexts[mode]}{' '}
        <span class="dim">
          Health: <a href={addressOf('operations', ['diagnostics'])}>{diagnostics.status}</a>.
        </span>
      </p>
      {may('admin') && mode === 'paused' && (
        <button type="button" onClick={resume}>
          Resume
        </button>
      )}
      {may('admin') && ['controlled-write', 'shadow'].includes(mode) && (
        <button type="button" class="plain" onClick={() => setAsking(true)}>
          Pause…
        </button>
      )}
      {isAsking && (
        <Confirm
          title="Pause background extraction?"
          deed="Pause"
          isMild
          act={pause}
          onClose={() => setAsking(false)}
        >
          <p>
            Dreaming, summaries and MEMORY.md stop until you resume them. Running passes are cancelled. Saves
            and recalls continue.
          </p>
        </Confirm>
      )}
    </section>
  )
}

function Queues({ queues }: Pick<Status, 'queues'>) {
  const failedJobs = Object.values(queues).reduce((sum, queue) => sum + (queue.dead ?? 0), 0)
  return (
    <section class="stack" aria-label="Queues">
      <h2>Queues</h2>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">Pending</th>
            <th scope="col">Running</th>
            <th scope="col">Retries</th>
            <th scope="col">Completed</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(queues).map(
            ([name, { pending = 0, leased = 0, failed = 0, completed = 0, dead = 0 }]) => (
              <tr key={name}>
                <th scope="row">{labelOf('queue', name)}</th>
                <td>{pending.toLocaleString()}</td>
                <td>{leased.toLocaleString()}</td>
                <td class={failed > 0 ? 'warn' : undefined}>{failed.toLocaleString()}</td>
                <td>{completed.toLocaleString()}</td>
                <td class={dead > 0 ? 'bad' : undefined}>{dead.toLocaleString()}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {failedJobs > 0 && may('admin') && (
        <p>
          <a href={addressOf('operations', ['repair', 'requeue-dead'])}>Retry failed jobs</a>
        </p>
      )}
    </section>
  )
}

function Workers({ status: { workers, latency, errorSummary } }: { status: Status }) {
  return (
    <section class="stack" aria-label="Workers">
      <h2>Workers</h2>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">State</th>
            <th scope="col">Running</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">Failed attempts</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(workers).map(([name, { running, inFlight, maxInFlight }]) => (
            <tr key={name}>
              <th scope="row">{labelOf('worker', name)}</th>
              <td class={inFlight > 0 ? undefined : 'dim'}>
                {inFlight > 0 ? 'running' : running ? 'idle' : 'stopped'}
              </td>
              <td>
                {inFlight} of {maxInFlight}
              </td>
              <td>{milliseconds(latency[name], 'p50')}</td>
              <td>{milliseconds(latency[name], 'p95')}</td>
              <td class={errorSummary.byStage[name] ? 'warn' : undefined}>
                {errorSummary.byStage[name] ?? 0}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dim">Since the daemon started.</p>
    </section>
  )
}

function milliseconds(of: Status['latency'][string] | undefined, percentile: 'p50' | 'p95'): string {
  if (!of || of.count === 0) return '–'
  const ms = of[percentile]
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** The one-time conversion of a database from an older release; most need none. */
function Conversion({ conversion }: { conversion: Status['databaseMaintenance']['vacuumConversion'] }) {
  const { state, attempts, maxAttempts, lastError } = conversion
  if (state === 'not_required' || state === 'completed') return null
  return (
    <section class="stack" aria-label="Database file">
      <h2>Database file</h2>
      <p>
        One-time conversion that lets freed space return to the disk: {state}, {attempts} of {maxAttempts}{' '}
        attempts.
      </p>
      {lastError && <p class="bad">{lastError}</p>}
    </section>
  )
}
