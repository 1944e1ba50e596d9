import { inferenceUses } from '../../../contract/ground/inference.js'
import type { InferenceStatus, InferenceUsageToday } from '../../../contract/platform/inference.js'
import type { Settings } from '../../../contract/settings.js'
import type { InferenceUsage } from '../../../store/tables/platform/inference-usage.js'
import { addressOf, assertComplete } from '../../ground/inference/create-inference.js'
import { InferenceFault, type InferenceState, isEnabled, limitOf } from '../../ground/inference/inference.js'
import type { Daemon } from '../daemon/daemon.js'

type Deps = Pick<Daemon, 'configuration' | 'inference' | 'secrets' | 'store' | 'clock'>

/** `GET /api/inference/status` (inference.md#status): sends no request to the model. */
export async function inferenceStatus(deps: Deps): Promise<InferenceStatus> {
  const { settings } = deps.configuration()
  const { provider, model = null, maxConcurrent, rates = null } = settings.inference
  const told = deps.inference().state()
  const key = await keyState(deps, settings.inference.apiKey)
  const { state, error } = modelState(settings, told, key)
  const today = await deps.store.tables.inferenceUsage.of(deps.clock().toISOString().slice(0, 10))
  return {
    provider,
    model,
    address: addressOf(settings.inference)?.origin ?? null,
    state,
    available: state === 'ready',
    ...(error !== undefined && { error }),
    checkedAt: told.checkedAt === null ? null : new Date(told.checkedAt).toISOString(),
    key,
    maxConcurrent,
    inFlight: told.inFlight,
    waiting: told.waiting,
    breaker: told.breaker,
    rates,
    uses: inferenceUses.map(use => ({
      use,
      enabled: isEnabled(settings, use),
      maxTokensPerDay: limitOf(settings, use),
      today: spentToday(today.find(({ purpose }) => purpose === use)),
    })),
  }
}

function modelState(
  { inference }: Settings,
  { breaker, error }: InferenceState,
  key: InferenceStatus['key'],
): Pick<InferenceStatus, 'state' | 'error'> {
  try {
    assertComplete(inference)
  } catch (fault) {
    if (!(fault instanceof InferenceFault)) throw fault
    return fault.kind === 'off' ? { state: 'off' } : { state: 'incomplete', error: fault.message }
  }
  if (key === 'missing')
    return { state: 'incomplete', error: 'inference.apiKey names a secret that is not set' }
  const state = breaker.state === 'closed' ? 'ready' : 'failing'
  return { state, ...(error !== undefined && { error }) }
}

/** A password manager takes seconds and may prompt its owner, so it is only used when a key is needed. */
async function keyState({ secrets }: Deps, reference: string | undefined): Promise<InferenceStatus['key']> {
  if (reference === undefined) return 'none'
  try {
    if (!secrets.isHere(reference)) return 'unknown'
    return (await secrets.isSet(reference)) ? 'set' : 'missing'
  } catch {
    return 'missing'
  }
}

function spentToday(row: InferenceUsage | undefined): InferenceUsageToday {
  return {
    calls: row?.calls ?? 0,
    failures: row?.failures ?? 0,
    inputTokens: row?.input_tokens ?? 0,
    outputTokens: row?.output_tokens ?? 0,
    countedTokens: row?.counted_tokens ?? 0,
    cost: row?.unpriced_calls ? null : Number((row?.cost ?? 0).toFixed(9)),
  }
}
