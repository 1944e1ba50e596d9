import type { EmbeddingSettings } from '../../../contract/settings.js'
import { isLoopback } from '../../../lib/network/is-loopback.js'
import type { ProviderCall } from '../../../store/embedding/embedder.js'
import { estimatedTokens } from '../inference/accounting.js'
import type { EventRecorder } from '../telemetry/event-recorder.js'

/**
 * Counts a call of the embedding provider, never its content (telemetry.md 3). Providers report no prices.
 */
export function countEmbedding(
  telemetry: Pick<EventRecorder, 'count'>,
  settings: Pick<EmbeddingSettings, 'provider' | 'baseUrl'>,
  { texts, kind, background, outcome }: ProviderCall,
): void {
  telemetry.count({
    event: 'embedding.generate',
    properties: {
      source: kind === 'query' ? 'recall' : background ? 'background' : 'save',
      outcome,
      calls: 1,
      texts: texts.length,
      tokens: outcome === 'ok' ? texts.reduce((sum, text) => sum + estimatedTokens(text), 0) : 0,
      tokenCoverage: 'locally_estimated',
      cost: 0,
      costCoverage: isOfThisMachine(settings) ? 'local_zero_cost' : 'unavailable',
    },
  })
}

function isOfThisMachine({ provider, baseUrl }: Pick<EmbeddingSettings, 'provider' | 'baseUrl'>): boolean {
  if (provider !== 'openai' && provider !== 'ollama') return true
  return baseUrl === undefined ? provider === 'ollama' : isLoopback(new URL(baseUrl).hostname)
}
