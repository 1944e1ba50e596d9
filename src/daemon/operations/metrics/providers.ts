import { breakerStates } from '../../../lib/concurrency/breaker.js'
import { embedderStates } from '../../../store/embedding/embedder.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type Metric, single, states } from './exposition.js'

/** Whether the providers of vectors and answers can be asked, and what is asked of them now. */
export function providerMetrics({
  embedder,
  inference,
  mcpRequests,
}: Pick<Daemon, 'embedder' | 'inference' | 'mcpRequests'>): Metric[] {
  const embedding = embedder().status()
  const { breaker, inFlight, waiting } = inference().state()
  return [
    single(
      'gauge',
      'memory_service_embedding_available',
      '1 when vectors can be made.',
      embedding.available ? 1 : 0,
    ),
    {
      name: 'memory_service_embedding_state',
      help: '1 for the state that the provider of vectors is in; failing is an open breaker.',
      type: 'gauge',
      samples: states('state', embedderStates, embedding.state),
    },
    {
      name: 'memory_service_inference_breaker',
      help: '1 for the state of the breaker before the language model.',
      type: 'gauge',
      samples: states('state', breakerStates, breaker.state),
    },
    single(
      'gauge',
      'memory_service_inference_in_flight',
      'Questions that the language model answers now.',
      inFlight,
    ),
    single(
      'gauge',
      'memory_service_inference_waiting',
      'Questions that wait for the language model.',
      waiting,
    ),
    single(
      'gauge',
      'memory_service_mcp_in_flight',
      'MCP requests that are handled now.',
      mcpRequests.all().length,
    ),
  ]
}
