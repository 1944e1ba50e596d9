import type { Logger } from 'pino'
import type { Address } from '../../contract/api.js'
import { type HookReply, hookReply } from '../../contract/harness-hook.js'
import { durableHooks, type HarnessHook } from '../../contract/harness-names.js'
import type { AskSelf, SelfReply } from '../http/ask-self.js'
import { defaultGuidelines } from '../temporal/pre-compaction.js'
import { type Dialect, dialectOfCaller, eventNameOf } from './dialects.js'
import { fitContext } from './fit-context.js'
import type { HeardEvents } from './heard-events.js'
import { hookBodyOf } from './hook-body.js'
import type { NativeEvent } from './native-event.js'
import type { SessionFiles } from './session-files.js'
import type { SessionStarts } from './session-starts.js'

export interface RelayDeps {
  /** Asks the API as the caller of the hook. */
  ask: AskSelf
  log: Pick<Logger, 'info' | 'warn'>
  /** Files of the harness; undefined for a caller on another machine, whose paths mean nothing here. */
  files: SessionFiles | undefined
  /** Shared by all that relay, whichever way a hook comes. */
  heard: HeardEvents
  /** Follows the sessions; undefined for hooks that are handed over late. */
  starts: SessionStarts | undefined
}

export interface HookCall {
  /** Of the harness that the hook was installed for. */
  dialect: Dialect
  hook: HarnessHook
  /** What the harness wrote, parsed. */
  input: unknown
  /** When it was written, where that is not now. */
  time?: string | undefined
}

/** What a harness is told. */
export interface HookAnswer {
  /** `later`: the daemon cannot take the hook now, the same call may succeed another time. */
  outcome: 'served' | 'refused' | 'later'
  /** Exactly what the harness honours; empty where it honours nothing. */
  text: string
  type: 'json' | 'text'
  /** Why it is told nothing, for people. */
  note?: string
}

/** A sub-agent neither starts nor ends its session (design: its events are lineage). */
const ofSessionsOnly: ReadonlySet<HarnessHook> = new Set(['session-start', ...durableHooks])

/**
 * Serves a hook in the words of its harness: native input -> the API's own hook (spec 1, 4.10) -> native output. What
 * cannot be read or is refused is answered by nothing: a hook must never disturb its session. An event for which a
 * harness calls several hooks of ours is served once.
 */
export async function relayHook(deps: RelayDeps, given: HookCall): Promise<HookAnswer> {
  const { hook, input } = given
  const dialect = dialectOfCaller(given.dialect, input)
  const call = { ...given, dialect }
  if (!(hook in dialect.events)) {
    const why = `${dialect.harness} has no event for ${hook}`
    // Nobody installed it for this harness.
    return dialect === given.dialect ? nothing(deps, call, why) : told('served', '', why)
  }
  const event = dialect.read(input)
  if (!event) return nothing(deps, call, 'the input names no session')
  // One with a key of its own is no session either.
  if (event.subagent && (ofSessionsOnly.has(hook) || event.subagent === event.sessionKey))
    return told('served', '', `${hook} is for sessions, and this one is of a sub-agent`)
  if (event.occurredAt === undefined) return serve(deps, call, event)
  const id = JSON.stringify([dialect.harness, event.sessionKey, hook, event.occurredAt])
  if (!deps.heard.take(id)) return told('served', '', `${hook} was told of by another hook already`)
  const answer = await serve(deps, call, event)
  if (answer.outcome !== 'served') deps.heard.release(id)
  return answer
}

async function serve(deps: RelayDeps, call: HookCall, event: NativeEvent): Promise<HookAnswer> {
  const { dialect, hook } = call
  const transcriptPath = deps.files?.pathOf(dialect.harness, event) ?? event.transcriptPath
  const named = { ...event, name: eventNameOf(dialect, hook, event), transcriptPath }
  const start = deps.starts?.hear(hook, named)
  if (hook === 'compaction-complete') named.summary ||= await deps.files?.lastSummary(named)
  if (hook === 'compaction-complete' && !named.summary)
    return nothing(deps, call, 'there is no summary of the compaction')
  if (hook === 'session-end') deps.files?.ended(named)
  const isCheckpoint = hook === 'session-checkpoint-extract'
  const transcript = isCheckpoint ? await deps.files?.conversation(named) : undefined
  if (transcript === 'over') return told('served', '', 'the session is over')
  const body = {
    ...hookBodyOf(hook, dialect.harness, named),
    ...start,
    ...(durableHooks.has(hook) && { capturedAt: call.time }),
    transcript,
  }
  const reply = await askHook(deps, { harness: dialect.harness, hook }, body)
  if (!reply) return told('later', '', 'the daemon is stopping')
  if (reply.status >= 400) return refused(deps, call, reply)
  return answerOf(call, named, readReply(reply))
}

/** Asks the API's own hook for a harness. @returns undefined when the daemon is stopping. */
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

function readReply({ text }: SelfReply): HookReply {
  return hookReply.catch({}).parse(JSON.parse(text || '{}'))
}

function answerOf({ dialect, hook }: HookCall, event: NativeEvent, reply: HookReply): HookAnswer {
  if (reply.bypassed) return told('served', '', 'the session is bypassed')
  if (hook === 'pre-compaction')
    return told('served', dialect.steersCompaction ? adviceFor(dialect, event, reply) : '')
  const eventName = event.name ?? ''
  const context = dialect.injects.has(eventName) ? contextOf(dialect, reply) : ''
  if (context === '') return told('served', '')
  return { ...told('served', JSON.stringify(dialect.inject(eventName, context))), type: 'json' }
}

/** What stays in the conversation costs room after every compaction: then only what a person set is worth saying. */
function adviceFor({ keepsAdvice }: Dialect, { trigger }: NativeEvent, reply: HookReply): string {
  const { summaryPrompt = '', guidelines = '' } = reply
  if (keepsAdvice === undefined || trigger !== keepsAdvice) return summaryPrompt
  return guidelines === defaultGuidelines ? '' : guidelines
}

function told(outcome: HookAnswer['outcome'], text: string, note?: string): HookAnswer {
  return { outcome, text, type: 'text', ...(note && { note }) }
}

/** The clock stands first and whole; what is left of the room is for the rest. */
function contextOf(dialect: Dialect, { clockContext = '', inject = '' }: HookReply): string {
  const clock = clockContext.trim()
  const maxSize = dialect.maxSize - dialect.sizeOf(clock) - 2
  return joined(clock, fitContext(inject, { sizeOf: dialect.sizeOf, maxSize }))
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join('\n\n')
}

const passing: ReadonlySet<number> = new Set([429, 503])

/** What becomes of a hook by the API's reply; none means that the daemon is stopping. */
export function outcomeOf(reply: Pick<SelfReply, 'status'> | undefined): HookAnswer['outcome'] {
  if (!reply || passing.has(reply.status)) return 'later'
  return reply.status >= 400 ? 'refused' : 'served'
}

function refused({ log }: RelayDeps, { dialect, hook }: HookCall, reply: SelfReply): HookAnswer {
  const { code = 'internal', error = '' } = parseError(reply.text)
  log.warn({ harness: dialect.harness, hook, status: reply.status, code }, 'hook refused')
  return told(outcomeOf(reply), '', `${hook} was refused: ${error} (${code})`)
}

function parseError(text: string): { code?: string; error?: string } {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function nothing({ log }: RelayDeps, { dialect, hook }: HookCall, why: string): HookAnswer {
  log.info({ harness: dialect.harness, hook, why }, 'hook without effect')
  return told('refused', '', `${hook} had no effect: ${why}`)
}
