import type { Reply } from '../../../contract/api.js'
import { plainLine } from '../../text.js'
import type { DoctorContext, Outcome } from './finding.js'

type Status = Reply<'GET /api/inference/status'>

/** The language model that may be asked; nothing is sent to it for the check. */
export async function checkInference({ call }: DoctorContext): Promise<Outcome> {
  return outcomeOf(await call('GET /api/inference/status'))
}

function outcomeOf({ provider, model, state, error, uses }: Status): Outcome {
  if (state === 'off') return { severity: 'ok', evidence: 'no model is set: nothing is sent anywhere' }
  const name = plainLine(`${provider} ${model ?? ''}`.trim())
  const why = `${name}: ${plainLine(error ?? '')}`
  if (state === 'incomplete') return { severity: 'warning', evidence: why, fix: fixOf(error) }
  if (state === 'failing')
    return { severity: 'warning', evidence: `${why}; it is not asked for a while`, fix: fixOf(error) }
  const spent = uses.filter(
    ({ enabled, maxTokensPerDay, today }) => enabled && today.countedTokens >= maxTokensPerDay,
  )
  const [first] = spent
  if (first)
    return {
      severity: 'info',
      evidence: `${name}: the ${first.maxTokensPerDay} tokens of today for ${first.use} are spent`,
    }
  const enabled = uses.filter(one => one.enabled).map(({ use }) => use)
  const what =
    enabled.length > 0 ? `asked for ${enabled.join(', ')}` : 'nothing asks it: no use is switched on'
  return { severity: 'ok', evidence: `${name}, ${what}` }
}

/** The command for the setting that a message names first. */
function fixOf(error = ''): string {
  const [setting] = /inference\.(?:model|apiKey|baseUrl)/u.exec(error) ?? []
  if (setting === 'inference.apiKey')
    return 'memory secrets set NAME, then memory config set inference.apiKey NAME'
  return setting ? `memory config set ${setting} VALUE` : 'memory daemon logs'
}
