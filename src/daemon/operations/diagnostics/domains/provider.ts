import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { namesModel } from '../../../../lib/workspace/model-folder.js'
import type { EmbedderStatus } from '../../../../store/embedding/embedder.js'
import { inferenceStatus } from '../../../platform/inference/inference-status.js'
import { finding, fine, scored } from '../findings/finding.js'
import type { Look } from '../findings/look.js'

type Inference = Awaited<ReturnType<typeof inferenceStatus>>
type Judged = Pick<Inference, 'provider' | 'model' | 'state' | 'error' | 'uses'>

/** What is asked outside of this process: the model that makes vectors, and the one that answers questions. */
export async function providerDomain({ daemon }: Look): Promise<DomainReport<'provider'>> {
  const { provider, model, dimensions, state, available, checkedAt } = daemon.embedder().status()
  const inference = await inferenceStatus(daemon)
  const isNamed = namesModel(daemon.configuration().settings.embedding)
  return {
    ...scored([embeddingFinding(daemon.embedder().status(), { isNamed }), inferenceFinding(inference)]),
    embedding: { provider, model, dimensions, state, available, checkedAt },
    inference: {
      provider: inference.provider,
      model: inference.model,
      state: inference.state,
      available: inference.available,
      inFlight: inference.inFlight,
      waiting: inference.waiting,
      checkedAt: inference.checkedAt,
    },
  }
}

/** How the embedding provider does. @param isNamed whether the settings name the model. */
export function embeddingFinding(
  { provider, model, dimensions, available, state, error, progress }: EmbedderStatus,
  { isNamed }: { isNamed: boolean },
) {
  const id = 'embedding'
  const name = `${provider} ${model}`.trim()
  if (available || state === 'ready')
    return fine(id, `${name}${dimensions ? `, ${dimensions} dimensions` : ''}`)
  if (state === 'off')
    return finding({ id, severity: 'info', evidence: 'no provider is set: recall goes by words only' })
  if (state === 'downloading' || state === 'loading') {
    const loaded = progress ? `, ${(progress.loadedBytes / 1024 / 1024).toFixed(1)} MiB so far` : ''
    return finding({
      id,
      severity: 'info',
      evidence: `${name} is ${state}${loaded}; until then recall goes by words only`,
    })
  }
  const why = error ?? (state === 'missing' ? 'the model is not on this machine' : `it is ${state}`)
  const evidence = `${name}: ${why}; recall goes by words only`
  if (state !== 'missing')
    return finding({ id, severity: 'warning', evidence, fix: 'memory embedding status' })
  // A machine where nobody has asked for a model yet works without one; one that the settings name is missed.
  return finding({ id, severity: isNamed ? 'warning' : 'info', evidence, fix: 'memory embedding pull' })
}

/** How the language model does; nothing is sent to it for that. */
export function inferenceFinding({ provider, model, state, error, uses }: Judged) {
  const id = 'inference'
  if (state === 'off') return fine(id, 'no model is set: nothing is sent anywhere')
  const name = `${provider} ${model ?? ''}`.trim()
  const why = `${name}: ${error ?? ''}`
  if (state === 'incomplete') return finding({ id, severity: 'warning', evidence: why, fix: fixOf(error) })
  if (state === 'failing')
    return finding({
      id,
      severity: 'warning',
      evidence: `${why}; it is not asked for a while`,
      fix: fixOf(error),
    })
  const [spent] = uses.filter(
    ({ enabled, maxTokensPerDay, today }) => enabled && today.countedTokens >= maxTokensPerDay,
  )
  if (spent)
    return finding({
      id,
      severity: 'info',
      evidence: `${name}: the ${spent.maxTokensPerDay} tokens of today for ${spent.use} are spent`,
    })
  const enabled = uses.filter(one => one.enabled).map(({ use }) => use)
  const what =
    enabled.length > 0 ? `asked for ${enabled.join(', ')}` : 'nothing asks it: no use is switched on'
  return fine(id, `${name}, ${what}`)
}

/** The command for the setting that a message names first. */
function fixOf(error = ''): string {
  const [setting] = /inference\.(?:model|apiKey|baseUrl)/u.exec(error) ?? []
  if (setting === 'inference.apiKey')
    return 'memory secrets set NAME, then memory config set inference.apiKey NAME'
  return setting ? `memory config set ${setting} VALUE` : 'memory daemon logs'
}
