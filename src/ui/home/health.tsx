import type { HealthFigure } from '../../contract/operations/diagnostics-domains.js'
import { labelOf } from '../../lib/text/labels.js'
import { call } from '../api/call.js'
import { useLoaded } from '../api/loaded.js'
import { may } from '../api/session.js'
import { Command } from '../parts/command.js'
import { healthTones } from '../parts/health-tones.js'
import { Time } from '../parts/time.js'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { Card } from './card.js'

/** The figure of health with its warnings, and what waits for a person. */
export function Health() {
  const loaded = useLoaded(signal => call('GET /api/status', {}, { signal }), [])
  return (
    <Card title="Health" loaded={loaded}>
      {({ health, version, startedAt, workspace, storage }) => (
        <>
          <p class={`figure ${healthTones[health.status]}`}>
            <a class="quiet" href={addressOf('operations', ['diagnostics'])}>
              {health.status}, {Math.round(100 * health.score)} %
            </a>
          </p>
          {(health.waiting?.items.length ?? 0) > 0 && <p class="dim">Waits for you:</p>}
          <ul class="plain-list lined">
            {health.waiting?.items.map(({ kind, text, page: [page = '', ...rest] }) => (
              <li key={kind}>
                <a href={addressOf(page, rest)}>{text}</a>
              </li>
            ))}
            {health.warnings.map(warning => (
              <Warning key={`${warning.domain} ${warning.id} ${warning.evidence}`} warning={warning} />
            ))}
          </ul>
          <p class="dim">
            Version {version}, started <Time at={startedAt} />
            <br />
            <code class="words">{workspace}</code>
            {storage.server && `, memories in ${storage.server}`}
          </p>
        </>
      )}
    </Card>
  )
}

/** A warning with its remedy: a button that opens the repair, or one that copies the command. */
function Warning({ warning: { domain, severity, evidence, fix, repair } }: WarningProps) {
  return (
    <li>
      <span class={severity === 'error' ? 'bad' : 'warn'}>
        {labelOf('domain', domain)}: {evidence}
      </span>{' '}
      {repair && may('admin') ? (
        <button
          type="button"
          class="plain"
          onClick={() => navigate(addressOf('operations', ['repair', repair]))}
        >
          Repair…
        </button>
      ) : (
        fix && <Command text={fix} />
      )}
    </li>
  )
}

interface WarningProps {
  warning: HealthFigure['warnings'][number]
}
