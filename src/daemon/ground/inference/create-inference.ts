import type { Agent } from 'undici'
import { type InferenceUse, inferenceUses } from '../../../contract/ground/inference.js'
import type { InferenceSettings } from '../../../contract/settings.js'
import { type Breaker, createBreaker } from '../../../lib/concurrency/breaker.js'
import { createGate } from '../../../lib/concurrency/gate.js'
import { createInFlight } from '../../../lib/concurrency/in-flight.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { addressBelow } from '../../../lib/network/address-below.js'
import { isInTheClear, isLoopback } from '../../../lib/network/is-loopback.js'
import { keyFault } from '../../../store/secrets/key-fault.js'
import { openConnection } from '../fetch/exchange.js'
import { resolveToken } from '../secrets/secrets.js'
import { type Adapter, anthropicAdapter, ollamaAdapter, openaiAdapter } from './adapters.js'
import { answerTo, type ModelServer } from './answer-to.js'
import {
  type Answer,
  type Inference,
  InferenceFault,
  type InferenceFaultKind,
  type InferenceState,
  type OpenQuestion,
  type OpenQuestionRecord,
  type Question,
  type QuestionRecord,
} from './inference.js'

export interface InferenceOptions {
  settings: InferenceSettings
  /** The value of a secret reference; rejects if there is none. */
  resolveSecret(reference: string): Promise<string>
  /** Records questions. */
  openEntry: OpenQuestionRecord
  clock: () => Date
}

/** Maximum queued questions; further ones are refused at once. */
const maxWaiting = 32
/** Servers are silent until the whole answer is ready. The question's deadline ends the wait. */
const longestSilenceMs = 600_000

type Ask = <T>(question: Question<T>, entry: QuestionRecord, signal: AbortSignal) => Promise<T>

/** Admits questions to the provider and learns from their outcomes. */
export interface ProviderGate {
  /** @returns a callback to report the outcome exactly once. @throws InferenceFault `paused` */
  admit(use: InferenceUse): (end: QuestionOutcome) => void
  state(): Pick<InferenceState, 'error' | 'checkedAt' | 'breaker'>
}

/** The outcome of a question. `given_up`: cancelled by the caller, which says nothing about the provider. */
type QuestionOutcome = 'answered' | 'given_up' | InferenceFault

/** Faults that persist: an early retry would only cost a request. */
const persistentFaults: readonly InferenceFaultKind[] = ['unauthorized', 'unknown_model', 'limited']
/** Faults of questions that never reached the provider. */
const unasked: readonly InferenceFaultKind[] = ['busy', 'spent']

interface LastResult {
  error: string | undefined
  checkedAt: number | null
}

/** Creates the language model of the settings. Nothing is loaded or sent before the first question. */
export function createInference(options: InferenceOptions): Inference {
  const { settings, openEntry, clock } = options
  const life = new AbortController()
  const gate = createGate(settings.maxConcurrent)
  const standing = createProviderGate(() => clock().getTime())
  const counts = { open: 0, inFlight: 0 }
  const questions = createInFlight<OpenQuestion>()
  const open = { agent: undefined as Promise<Agent> | undefined, form: { kept: true } }
  const agent = (): Promise<Agent> => {
    open.agent ??= openConnection({ connections: settings.maxConcurrent, silenceMs: longestSilenceMs })
    return open.agent
  }
  const askInPlace: Ask = async (question, entry, signal) => {
    counts.inFlight += 1
    try {
      const server = await unlessAborted(serverOf(options, await agent()), signal)
      return await answerTo({ ...server, form: open.form }, question, { entry, signal })
    } finally {
      counts.inFlight -= 1
    }
  }
  const askHere: Ask = async (question, entry, signal) => {
    if (counts.open >= settings.maxConcurrent + maxWaiting)
      throw new InferenceFault('busy', `${maxWaiting} questions to the model are already queued`)
    counts.open += 1
    const entering = gate.enter(1)
    try {
      await unlessAborted(entering, signal)
      return await askInPlace(question, entry, signal)
    } finally {
      counts.open -= 1
      // A cancelled waiter still gets its turn and must pass it on.
      void entering.then(leave => leave())
    }
  }
  return {
    state: () => ({
      ...standing.state(),
      inFlight: counts.inFlight,
      waiting: counts.open - counts.inFlight,
    }),
    open: questions.all,
    ask: async question => {
      question.signal?.throwIfAborted()
      assertComplete(settings)
      if (life.signal.aborted) throw new InferenceFault('off', 'the model settings have changed')
      const tell = standing.admit(question.use)
      const leave = questions.enter({ use: question.use, asker: question.asker })
      return recorded(question, { openEntry, life: life.signal, tell, work: askHere }).finally(leave)
    },
    close: async () => {
      life.abort(new InferenceFault('off', 'the model settings have changed'))
      await (await open.agent)?.destroy()
    },
  }
}

interface QuestionRun {
  openEntry: OpenQuestionRecord
  life: AbortSignal
  tell: (end: QuestionOutcome) => void
  work: Ask
}

/** Asks within the deadline and records the outcome. */
async function recorded<T>(
  question: Question<T>,
  { openEntry, life, tell, work }: QuestionRun,
): Promise<Answer<T>> {
  const started = performance.now()
  const entry = openEntry(question)
  const deadline = AbortSignal.timeout(question.deadlineMs)
  const given = question.signal ? [question.signal, life] : [life]
  const durationMs = (): number => performance.now() - started
  try {
    const value = await work(question, entry, AbortSignal.any([...given, deadline]))
    tell('answered')
    await entry.end({ durationMs: durationMs() })
    return { value, spent: entry.spent() as Answer<T>['spent'] }
  } catch (error) {
    const gone = given.find(({ aborted }) => aborted)
    const fault = gone ? undefined : faultOf(error, deadline, question.deadlineMs)
    tell(fault ?? 'given_up')
    await entry.end({ durationMs: durationMs(), fault: fault ?? 'cancelled' })
    if (!fault) throw gone ? gone.reason : error
    fault.spent = entry.spent()
    throw fault
  }
}

/** Undefined for errors outside the provider: a bug, or a database that rejects writes. */
function faultOf(error: unknown, deadline: AbortSignal, deadlineMs: number): InferenceFault | undefined {
  if (error instanceof InferenceFault) return error
  return deadline.aborted ? new InferenceFault('late', `no answer within ${deadlineMs} ms`) : undefined
}

/**
 * Checks that the settings are complete. @throws InferenceFault `off` or `incomplete` with the missing
 * setting
 */
export function assertComplete(settings: InferenceSettings): void {
  const { provider, model, apiKey, baseUrl } = settings
  const incomplete = (message: string): InferenceFault => new InferenceFault('incomplete', message)
  if (provider === 'none') throw new InferenceFault('off', 'inference.provider is none')
  if (model === undefined) throw incomplete(`inference.model is not set: ${provider} has no default`)
  const adapter = adapterOf(settings)
  if (apiKey === undefined && adapter.needsKey)
    throw incomplete(`inference.apiKey is not set: ${provider} requires a key`)
  const url = addressBelow(baseUrl ?? adapter.defaultBaseUrl, adapter.path)
  if (!url)
    throw incomplete('inference.baseUrl must not contain a user name or password: use inference.apiKey')
  if (apiKey !== undefined && isInTheClear(url))
    throw incomplete(`inference.baseUrl must use https: the key would be sent to ${url.origin} unencrypted`)
}

/** The address of the configured model. */
export function addressOf(settings: InferenceSettings): URL | undefined {
  if (settings.provider === 'none') return undefined
  const { defaultBaseUrl, path } = adapterOf(settings)
  return addressBelow(settings.baseUrl ?? defaultBaseUrl, path)
}

function adapterOf({ provider, baseUrl }: InferenceSettings): Adapter {
  if (provider === 'anthropic') return anthropicAdapter
  return provider === 'ollama' ? ollamaAdapter() : openaiAdapter(baseUrl)
}

/** The key is read for each question: it is never cached, and changes apply at once. */
async function serverOf(
  { settings, resolveSecret }: InferenceOptions,
  agent: Agent,
): Promise<Omit<ModelServer, 'form'>> {
  const { apiKey, model = '', rates } = settings
  const url = addressOf(settings) as URL
  const isLocal = isLoopback(url.hostname)
  return {
    adapter: adapterOf(settings),
    agent,
    url,
    model,
    key: apiKey === undefined ? undefined : await keyBehind(apiKey, resolveSecret),
    prices: { rates, isLocal },
  }
}

async function keyBehind(reference: string, resolve: InferenceOptions['resolveSecret']): Promise<string> {
  try {
    return await resolveToken(resolve, reference, ['Bearer'])
  } catch (error) {
    throw new InferenceFault('unauthorized', keyFault('inference.apiKey', reference, error))
  }
}

/**
 * Circuit breakers: one for a failing provider, and one for each use it was too slow for, so that no late
 * answers are paid for. No probes are sent: the next question tests whether the provider is back.
 */
function createProviderGate(now: () => number): ProviderGate {
  const dead = createBreaker({ now })
  const slow = new Map(inferenceUses.map(use => [use, createBreaker({ now })]))
  const known: LastResult = { error: undefined, checkedAt: null }
  const enter = (breaker: Breaker): void => {
    if (breaker.state() !== 'closed' && !breaker.startProbe())
      throw new InferenceFault('paused', `paused after failures: ${known.error ?? 'it failed'}`)
  }
  return {
    admit: use => {
      const late = slow.get(use) as Breaker
      enter(late)
      try {
        enter(dead)
      } catch (error) {
        giveBack(late)
        throw error
      }
      return end => note({ dead, late, known, now }, end)
    },
    state: () => ({ ...known, breaker: { state: dead.state(), remainingMs: dead.remainingMs() } }),
  }
}

interface OutcomeContext {
  dead: Breaker
  late: Breaker
  known: LastResult
  now: () => number
}

function note({ dead, late, known, now }: OutcomeContext, end: QuestionOutcome): void {
  const kind = end instanceof InferenceFault ? end.kind : undefined
  if (end === 'given_up' || (kind !== undefined && unasked.includes(kind))) {
    giveBack(dead)
    giveBack(late)
    return
  }
  known.checkedAt = now()
  const speaksAgainst = kind === 'late' || kind === 'unreachable' || (kind && persistentFaults.includes(kind))
  if (!(end instanceof InferenceFault) || !speaksAgainst) {
    dead.succeed()
    late.succeed()
    known.error = undefined
    return
  }
  known.error = end.message
  if (kind === 'late') {
    late.fail()
    giveBack(dead)
  } else {
    dead.fail({ atOnce: persistentFaults.includes(end.kind), minOpenMs: end.retryAfterMs ?? 0 })
    giveBack(late)
  }
}

/** A test question without a result leaves the breaker open: the next one waits again. */
function giveBack(breaker: Breaker): void {
  if (breaker.state() === 'half-open') breaker.fail()
}
