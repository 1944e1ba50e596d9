import { useState } from 'preact/hooks'
import type { Reply } from '../../contract/api.js'
import { call } from '../api/call.js'
import { useFollowed } from '../api/followed.js'
import { may } from '../api/session.js'
import { Confirm } from '../parts/confirm.js'
import { doNow } from '../parts/do-now.js'
import { Failure } from '../parts/failure.js'
import { Loading } from '../parts/loading.js'
import { addressOf } from '../routing/place.js'

type Status = Reply<'GET /api/pipeline/status'>

const modes: Readonly<Record<Status['mode'], string>> = {
  'controlled-write': 'Work in the background draws from what was said, and writes it.',
  shadow: 'What would be drawn from what was said is written down, and not applied.',
  paused: 'Work that draws something from what was said stands still.',
  disabled: 'Nothing is drawn from what was said: memory.pipelineV2.enabled is false.',
  frozen: 'The kill switch is on: nothing is written at all.',
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
  const resume = () => doNow(() => call('POST /api/pipeline/resume'), 'It goes on', onChanged)
  const pause = async () => {
    await call('POST /api/pipeline/pause')
    onChanged()
  }
  return (
    <section class="line" aria-label="Mode">
      <p class="grow">
        <strong>{mode}</strong> {modes[mode]}{' '}
        <span class="dim">
          Health <a href={addressOf('operations', ['diagnostics'])}>{diagnostics.status}</a>.
        </span>
      </p>
      {may('admin') && mode === 'paused' && (
        <button type="button" onClick={resume}>
          Go on
        </button>
      )}
      {may('admin') && ['controlled-write', 'shadow'].includes(mode) && (
        <button type="button" class="plain" onClick={() => setAsking(true)}>
          Pause…
        </button>
      )}
      {isAsking && (
        <Confirm
          title="Pause the work in the background?"
          deed="Pause"
          isMild
          act={pause}
          onClose={() => setAsking(false)}
        >
          <p>
            Dreaming, summaries and what else draws from what was said stand still until somebody lets them go
            on. What is on its way is given up. Saves and recalls go on.
          </p>
        </Confirm>
      )}
    </section>
  )
}

function Queues({ queues }: Pick<Status, 'queues'>) {
  const dead = Object.values(queues).reduce((sum, queue) => sum + (queue.dead ?? 0), 0)
  return (
    <section class="stack" aria-label="Queues">
      <h2>Jobs</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">Waiting</th>
            <th scope="col">In hand</th>
            <th scope="col">Tried before</th>
            <th scope="col">Done</th>
            <th scope="col">Given up</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(queues).map(
            ([name, { pending = 0, leased = 0, failed = 0, completed = 0, dead: gone = 0 }]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{pending.toLocaleString()}</td>
                <td>{leased.toLocaleString()}</td>
                <td class={failed > 0 ? 'warn' : undefined}>{failed.toLocaleString()}</td>
                <td>{completed.toLocaleString()}</td>
                <td class={gone > 0 ? 'bad' : undefined}>{gone.toLocaleString()}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
      {dead > 0 && may('admin') && (
        <p>
          <a href={addressOf('operations', ['repair', 'requeue-dead'])}>
            Let those that were given up be tried again
          </a>
        </p>
      )}
    </section>
  )
}

function Workers({ status: { workers, latency, errorSummary } }: { status: Status }) {
  return (
    <section class="stack" aria-label="Workers">
      <h2>Workers</h2>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">State</th>
            <th scope="col">In hand</th>
            <th scope="col">Half within</th>
            <th scope="col">95 % within</th>
            <th scope="col">Failed tries</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(workers).map(([name, { running, inFlight, maxInFlight }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={inFlight > 0 ? undefined : 'dim'}>
                {inFlight > 0 ? 'at work' : running ? 'ready' : 'still'}
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
      <p class="dim">Times and failures count since the daemon started.</p>
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
    <section class="stack" aria-label="The file of the database">
      <h2>The file of the database</h2>
      <p>
        It is written anew once, so that room that is freed goes back to the disk: {state}, {attempts} of{' '}
        {maxAttempts} tries.
      </p>
      {lastError && <p class="bad">{lastError}</p>}
    </section>
  )
}
