import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { Failure } from '../parts/failure.js'
import { healthTones } from '../parts/health-tones.js'
import { Loading } from '../parts/loading.js'
import { Time } from '../parts/time.js'
import { Card } from './card.js'

/** The state of the daemon and its problems. */
export function Health() {
  const loaded = useLoaded(signal => call('GET /api/status', {}, { signal }), [])
  return (
    <Card title="Health" loaded={loaded}>
      {status => (
        <>
          <p class={`figure ${healthTones[status.health.status]}`}>{status.health.status}</p>
          <ul class="plain-list">
            <Findings />
            {[...status.storage.damage, ...status.settingsProblems].map(line => (
              <li key={line} class="bad">
                {line}
              </li>
            ))}
          </ul>
          <p class="dim">
            {status.version}, started <Time at={status.startedAt} />, <code>{status.workspace}</code>
          </p>
        </>
      )}
    </Card>
  )
}

/** Findings of the diagnostics. The first run after a start reads all rows, so it is loaded separately. */
function Findings() {
  const { value, error, reload } = useLoaded(signal => call('GET /api/diagnostics', {}, { signal }), [])
  if (!value)
    return (
      <li>{error ? <Failure error={error} retry={reload} /> : <Loading words="Checking stored data…" />}</li>
    )
  return (
    <>
      {findingsIn(value).map(({ id, severity, evidence, repair }) => (
        <li key={`${id} ${evidence}`} class={severity === 'info' ? 'dim' : 'warn'}>
          {evidence}
          {repair && (
            <span class="dim">
              {' '}
              · <code>memory repair {repair}</code>
            </span>
          )}
        </li>
      ))}
    </>
  )
}

interface Finding {
  id: string
  severity: string
  evidence: string
  repair?: string | undefined
}

/** Returns all findings other than `ok` from every domain. */
function findingsIn(report: object): Finding[] {
  return Object.values(report).flatMap((domain: unknown) => {
    const { findings } = (domain ?? {}) as { findings?: Finding[] }
    return (findings ?? []).filter(({ severity }) => severity !== 'ok')
  })
}
