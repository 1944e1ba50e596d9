import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Address } from '../../../contract/api.js'
import { type HookReply, hookReply } from '../../../contract/sessions/harness-hook.js'
import { durableHooks, type HarnessHook } from '../../../contract/sessions/harness-names.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import type { AskSelf, SelfReply } from '../../platform/daemon/ask-self.js'
import { defaultGuidelines } from '../compaction/pre-compaction.js'
import { withoutMessagesOf } from '../hooks/peer-messages.js'
import { dialectOfCaller } from './callers.js'
import { type Dialect, eventNameOf } from './dialects.js'
import type { EventDeduplicator } from './event-deduplicator.js'
import { fitReply } from './fit-context.js'
import { hookBodyOf, type NativeEvent } from './native-event.js'
import type { SessionFiles } from './session-files.js'
import type { PendingStart, PendingStarts, SessionStarts, StartFields, ToldClocks } from './session-starts.js'

export interface RelayDeps {
  /** Calls the API as the caller of the hook. */
  ask: AskSelf
  log: Pick<Logger, 'info' | 'warn'>
  /** Files of the harness; undefined for callers on another machine, whose paths mean nothing here. */
  files: SessionFiles | undefined
  /** Shared by direct and queued hooks. */
  heard: EventDeduplicator
  /** Session starts; undefined for queued hooks. */
  starts: SessionStarts | undefined
  /** Starts whose context is delivered with a prompt; undefined for queued hooks. */
  owed: PendingStarts | undefined
  /** Sessions that know the time; undefined for queued hooks. */
  clocks: ToldClocks | undefined
}

export interface HookCall {
  /** Dialect of the harness that the hook was installed for. */
  dialect: Dialect
  hook: HarnessHook
  /** Parsed input of the harness. */
  input: unknown
  /** Time of the call, for a queued hook. */
  time?: string | undefined
}

export interface HookAnswer {
  /** `later`: the daemon can't process the hook now; the same call may succeed another time. */
  outcome: 'served' | 'refused' | 'later'
  /** Exactly what the harness honours; empty where it honours nothing. */
  text: string
  type: 'json' | 'text'
  /** Reason for an empty text, for people. */
  note?: string
  /** The session whose starting context is in the text; it is owed again if nobody reads the answer. */
  starts?: string
}

/** Hooks of one event without a name of its own are called within this time. */
const togetherMs = 2000

/** Sub-agents neither start nor end a session; their events belong to the lineage. */
const ofSessionsOnly: ReadonlySet<HarnessHook> = new Set(['session-start', ...durableHooks])

/**
 * Serves a hook in the format of its harness: native input -> the API's own hook (rules.md 4.10) -> native
 * output. Unreadable or refused input gets an empty answer, since a hook must never disturb its session. When
 * a harness calls several hooks for one event, it is served once.
 */
export async function relayHook(deps: RelayDeps, given: HookCall): Promise<HookAnswer> {
  const dialect = dialectOfCaller(given.dialect, given.input)
  return orNothing(dialect, await relayAs(deps, given, dialect))
}

/** Returns the answer, with the reply that means nothing if it is empty. */
export function orNothing<A extends Pick<HookAnswer, 'text' | 'type'>>({ nothing }: Dialect, answer: A): A {
  return answer.text === '' && nothing !== undefined ? { ...answer, text: nothing, type: 'json' } : answer
}

async function relayAs(deps: RelayDeps, given: HookCall, dialect: Dialect): Promise<HookAnswer> {
  const { hook, input } = given
  const call = { ...given, dialect }
  if (!(hook in dialect.events)) {
    const why = `${dialect.harness} has no event for ${hook}`
    // A program that runs hooks of another may have no event for them; then there is nothing to serve.
    return dialect === given.dialect ? noEffect(deps, call, why) : plainAnswer('served', '', why)
  }
  const native = dialect.read(input)
  if (!native) return noEffect(deps, call, 'the input contains no session id')
  const event = await withPrompt(deps, native)
  if (event.idle) return plainAnswer('served', '', event.idle)
  // A sub-agent with its own key is not a session either.
  if (event.subagent && (ofSessionsOnly.has(hook) || event.subagent === event.sessionKey))
    return plainAnswer('served', '', `${hook} applies to sessions, but this event is from a sub-agent`)
  const named = nameOfEvent(call, event)
  if (!named) return serve(deps, call, event)
  const { id, withinMs } = named
  if (!deps.heard.take(id, withinMs))
    return plainAnswer('served', '', `another hook already reported this ${hook}`)
  const answer = await serve(deps, call, event)
  if (answer.outcome !== 'served') deps.heard.release(id)
  return answer
}

/** Without a prompt in the transcript only the first event of a session is one. */
async function withPrompt({ files }: RelayDeps, event: NativeEvent): Promise<NativeEvent> {
  if (event.promptInFile === undefined) return event
  const found = await files?.lastPrompt(event)
  if (found) return { ...event, ...found }
  return event.promptInFile === 'first' ? event : { ...event, idle: 'the transcript has no prompt' }
}

/**
 * The name under which the hooks of one event are known as such; undefined for a program that calls one hook
 * for an event. If its hooks have nothing alike, those of one moment belong together.
 */
function nameOfEvent(
  { dialect, hook }: HookCall,
  { sessionKey, occurrence, prompt, subagent }: NativeEvent,
): { id: string; withinMs?: number } | undefined {
  const of = [dialect.harness, sessionKey, hook]
  if (occurrence !== undefined) return { id: JSON.stringify([...of, occurrence]) }
  if (!dialect.runsOthers || hook === 'notifications') return undefined
  return { id: JSON.stringify([...of, prompt, subagent]), withinMs: togetherMs }
}

async function serve(deps: RelayDeps, call: HookCall, event: NativeEvent): Promise<HookAnswer> {
  const { dialect, hook } = call
  const transcriptPath = deps.files?.pathOf(dialect.harness, event) ?? event.transcriptPath
  const named = { ...event, name: eventNameOf(dialect, hook, event), transcriptPath }
  const start = { ...deps.starts?.hear(hook, named), ...claimOf(deps, call, named) }
  if (hook === 'compaction-complete') named.summary ||= await deps.files?.lastSummary(named)
  if (hook === 'compaction-complete' && !named.summary)
    return noEffect(deps, call, 'the compaction has no summary')
  const passed = durableHooks.has(hook) ? deps.files?.passed(named) : undefined
  if (hook === 'session-end') deps.files?.ended(named)
  const isCheckpoint = hook === 'session-checkpoint-extract'
  if (isCheckpoint && named.summary) await keepSummary(deps, dialect, named)
  const transcript =
    passed ??
    (isCheckpoint ? await deps.files?.conversation(named, 'session-end' in dialect.events) : undefined)
  if (transcript === 'over') return plainAnswer('served', '', 'the session has ended')
  const body = {
    ...hookBodyOf(hook, dialect.harness, named),
    ...start,
    ...(durableHooks.has(hook) && { capturedAt: call.time }),
    transcript,
    // A text that the program ignores must not count as given.
    ...(hook === 'user-prompt-submit' && !takesContext(dialect, named) && { countOnly: true }),
  }
  if (hook === 'user-prompt-submit') return servePrompt(deps, call, named, body)
  const reply = await askHook(deps, { harness: dialect.harness, hook }, body)
  const answer = answerOf(deps, call, named, reply)
  return hook === 'session-start' ? noteStart(deps, call, named, answer) : answer
}

/** Keeps the summary of a compaction of which the program has no event: the next conversation has it. */
async function keepSummary(deps: RelayDeps, { harness }: Dialect, event: NativeEvent): Promise<void> {
  const hook = 'compaction-complete'
  const hash = createHash('sha256')
    .update(event.summary ?? '')
    .digest('hex')
  const id = JSON.stringify([harness, event.sessionKey, hook, hash])
  if (!deps.heard.take(id)) return
  const reply = await askHook(deps, { harness, hook }, hookBodyOf(hook, harness, event))
  if (outcomeOf(reply) === 'later') deps.heard.release(id)
}

/** A start that brought no context, since the daemon stopped or refused, is owed with the next prompt. */
function noteStart(
  { owed, clocks }: RelayDeps,
  { dialect }: HookCall,
  { sessionKey, source, subagent }: NativeEvent,
  answer: HookAnswer,
): HookAnswer {
  if (subagent) return answer
  clocks?.forget(sessionKey)
  if (dialect.startsWithPrompt) return answer
  if (answer.outcome === 'later') owed?.owe(sessionKey, { source })
  else owed?.given(sessionKey)
  return answer.text === '' ? answer : { ...answer, starts: sessionKey }
}

/**
 * A start whose context is delivered with the next prompt, or never since the program ignores it, only claims
 * the session.
 */
function claimOf({ owed }: RelayDeps, { dialect, hook }: HookCall, event: NativeEvent): StartFields {
  if (hook !== 'session-start') return {}
  if (dialect.startsWithPrompt) owed?.owe(event.sessionKey, { source: event.source })
  return dialect.startsWithPrompt || !takesContext(dialect, event) ? { claimOnly: true } : {}
}

/** True if the program adds the reply to this event to the session. */
function takesContext({ injects }: Dialect, { name = '' }: NativeEvent): boolean {
  return injects.has(name)
}

/**
 * Serves a prompt together with an undelivered starting context, which stays pending until it is delivered.
 */
async function servePrompt(
  deps: RelayDeps,
  call: HookCall,
  event: NativeEvent,
  body: object,
): Promise<HookAnswer> {
  const { dialect, hook } = call
  const { sessionKey, subagent } = event
  const owed =
    subagent || !takesContext(dialect, event)
      ? undefined
      : await deps.owed?.take(sessionKey, dialect.startsWithPrompt ?? false)
  const reply = await askHook(deps, { harness: dialect.harness, hook }, body)
  const isServed = outcomeOf(reply) === 'served'
  const context = owed && isServed ? await contextOfStart(deps, call, event, owed) : undefined
  if (owed && context === undefined) deps.owed?.owe(sessionKey, owed)
  const answer = answerOf(deps, call, event, reply, context && withoutMessagesOf(injectOf(reply), context))
  return context && answer.text !== '' ? { ...answer, starts: sessionKey } : answer
}

function injectOf(reply: SelfReply | undefined): string {
  return (reply && readReply(reply).inject) ?? ''
}

/**
 * @returns undefined when the context can't be delivered now: the session is bypassed, or the API refuses.
 */
async function contextOfStart(
  deps: RelayDeps,
  { dialect }: HookCall,
  event: NativeEvent,
  { source }: PendingStart,
): Promise<string | undefined> {
  const hook = 'session-start'
  const body = hookBodyOf(hook, dialect.harness, { ...event, source })
  const reply = await askHook(deps, { harness: dialect.harness, hook }, body)
  if (!reply || outcomeOf(reply) !== 'served') return undefined
  const { bypassed, inject = '' } = readReply(reply)
  return bypassed ? undefined : inject
}

/** Calls the API's own hook for a harness. @returns undefined when the daemon is stopping. */
export async function askHook(
  deps: Pick<RelayDeps, 'ask' | 'log'>,
  { harness, hook }: { harness: string; hook: HarnessHook },
  body: object,
): Promise<SelfReply | undefined> {
  const headers = { 'x-service-actor': harness, 'x-service-actor-type': 'harness' }
  const address = `POST /api/hooks/${hook}` as const satisfies Address
  const path = address.slice('POST '.length)
  return deps.ask({ method: 'POST', path, headers, body: JSON.stringify(body) }).catch(error => {
    deps.log.warn({ err: error, harness, hook }, 'hook not served')
    return undefined
  })
}

/** An unknown reply counts as empty. */
const anyReply = hookReply.catch({})

function readReply({ text }: SelfReply): HookReply {
  return anyReply.parse(JSON.parse(text || '{}'))
}

function answerOf(
  deps: RelayDeps,
  call: HookCall,
  event: NativeEvent,
  given: SelfReply | undefined,
  start?: string,
): HookAnswer {
  if (!given) return plainAnswer('later', '', 'the daemon is stopping')
  if (given.status >= 400) return refused(deps, call, given)
  const { dialect, hook } = call
  const reply = readReply(given)
  if (reply.bypassed) return plainAnswer('served', '', 'the session is bypassed')
  if (hook === 'pre-compaction')
    return plainAnswer('served', dialect.steersCompaction ? adviceFor(dialect, event, reply) : '')
  if (!takesContext(dialect, event)) return plainAnswer('served', '')
  const timed = { ...reply, clockContext: clockFor(deps, event, reply) }
  const context = fitReply(dialect, timed, start)
  if (context === '') return plainAnswer('served', '')
  const output = dialect.inject(event.name ?? '', context)
  if (typeof output === 'string') return plainAnswer('served', output)
  return { ...plainAnswer('served', JSON.stringify(output)), type: 'json' }
}

function clockFor({ clocks }: RelayDeps, { sessionKey, subagent }: NativeEvent, reply: HookReply): string {
  const { clockContext = '' } = reply
  return clockContext === '' || subagent || !clocks ? clockContext : clocks.take(sessionKey, clockContext)
}

/**
 * Text that stays in the conversation takes space after every compaction, so only guidelines set by a person
 * are shown.
 */
function adviceFor({ keepsAdvice }: Dialect, { trigger }: NativeEvent, reply: HookReply): string {
  const { summaryPrompt = '', guidelines = '' } = reply
  if (keepsAdvice === undefined || trigger !== keepsAdvice) return summaryPrompt
  return guidelines === defaultGuidelines ? '' : guidelines
}

function plainAnswer(outcome: HookAnswer['outcome'], text: string, note?: string): HookAnswer {
  return { outcome, text, type: 'text', ...(note && { note }) }
}

/** Statuses for rate limits, temporary failures and a full disk. */
const passing: ReadonlySet<number> = new Set([429, 503, 507])

/** Maps the API's reply to an outcome; no reply means the daemon is stopping. */
export function outcomeOf(reply: Pick<SelfReply, 'status'> | undefined): HookAnswer['outcome'] {
  if (!reply || passing.has(reply.status)) return 'later'
  return reply.status >= 400 ? 'refused' : 'served'
}

function refused({ log }: RelayDeps, { dialect, hook }: HookCall, reply: SelfReply): HookAnswer {
  const { code = 'internal', error = '' } = parseError(reply.text)
  log.warn({ harness: dialect.harness, hook, status: reply.status, code }, 'hook refused')
  return plainAnswer(outcomeOf(reply), '', `${hook} was refused: ${error} (${code})`)
}

function parseError(text: string): { code?: string; error?: string } {
  return jsonOf(text) ?? {}
}

function noEffect({ log }: RelayDeps, { dialect, hook }: HookCall, why: string): HookAnswer {
  log.info({ harness: dialect.harness, hook, why }, 'hook without effect')
  return plainAnswer('refused', '', `${hook} had no effect: ${why}`)
}
