import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { namesModel } from '../../../../lib/workspace/model-folder.js'
import type { EmbedderStatus } from '../../../../store/embedding/embedder.js'
import { inferenceStatus } from '../../../platform/inference/inference-status.js'
import { type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'
import { pluginFindings } from './agents.js'

type Inference = Awaited<ReturnType<typeof inferenceStatus>>
type InferenceHealth = Pick<Inference, 'provider' | 'model' | 'state' | 'error' | 'uses'>

/** Health of the embedding model and the language model. */
export async function providerDomain(look: DiagnosticsInput): Promise<DomainReport<'provider'>> {
  const { daemon } = look
  const { provider, model, dimensions, state, available, checkedAt } = daemon.embedder().status()
  const inference = await inferenceStatus(daemon)
  const isNamed = namesModel(daemon.configuration().settings.embedding)
  return {
    ...scored([
      embeddingFinding(daemon.embedder().status(), { isNamed }),
      inferenceFinding(inference),
      ...(await pluginFindings(look)),
    ]),
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

/** Health of the embedding provider. @param isNamed whether the settings name the model. */
export function embeddingFinding(
  { provider, model, dimensions, available, state, error, progress }: EmbedderStatus,
  { isNamed }: { isNamed: boolean },
) {
  const id = 'embedding'
  const name = `${provider} ${model}`.trim()
  if (available || state === 'ready')
    return fine(id, `${name}${dimensions ? `, ${dimensions} dimensions` : ''}`)
  if (state === 'off')
    return finding({ id, severity: 'info', evidence: 'no provider is set: recall uses keywords only' })
  if (state === 'downloading' || state === 'loading') {
    const loaded = progress ? `, ${(progress.loadedBytes / 1024 / 1024).toFixed(1)} MiB so far` : ''
    return finding({
      id,
      severity: 'info',
      evidence: `${name} is ${state}${loaded}; until then recall uses keywords only`,
    })
  }
  const why = error ?? (state === 'missing' ? 'the model is not downloaded' : `it is ${state}`)
  const evidence = `${name}: ${why}; recall uses keywords only`
  if (state !== 'missing')
    return finding({ id, severity: 'warning', evidence, fix: 'memory embedding status' })
  // A missing default model is normal on a new machine; a model named in the settings is expected.
  return finding({ id, severity: isNamed ? 'warning' : 'info', evidence, fix: 'memory embedding pull' })
}

/** Health of the language model; checking it sends no request. */
export function inferenceFinding({ provider, model, state, error, uses }: InferenceHealth) {
  const id = 'inference'
  if (state === 'off') return fine(id, 'no model is set: nothing is sent anywhere')
  const name = `${provider} ${model ?? ''}`.trim()
  const why = `${name}: ${error ?? ''}`
  if (state === 'incomplete') return finding({ id, severity: 'warning', evidence: why, fix: fixOf(error) })
  if (state === 'failing')
    return finding({
      id,
      severity: 'warning',
      evidence: `${why}; requests are paused for a while`,
      fix: fixOf(error),
    })
  const [spent] = uses.filter(
    ({ enabled, maxTokensPerDay, today }) => enabled && today.countedTokens >= maxTokensPerDay,
  )
  if (spent)
    return finding({
      id,
      severity: 'info',
      evidence: `${name}: the daily limit of ${spent.maxTokensPerDay} tokens for ${spent.use} is used up`,
    })
  const enabled = uses.filter(one => one.enabled).map(({ use }) => use)
  const what = enabled.length > 0 ? `used for ${enabled.join(', ')}` : 'not used: every use is disabled'
  return fine(id, `${name}, ${what}`)
}

/** The command for the first setting that a message names. */
function fixOf(error = ''): string {
  const [setting] = /inference\.(?:model|apiKey|baseUrl)/u.exec(error) ?? []
  if (setting === 'inference.apiKey')
    return 'memory secrets set NAME, then memory config set inference.apiKey NAME'
  return setting ? `memory config set ${setting} VALUE` : 'memory daemon logs'
}
