import type { PromptBody, PromptReply } from '../../../contract/sessions/hooks.js'
import { memoize } from '../../../lib/concurrency/lazy.js'
import { within } from '../../../lib/concurrency/stop-waiting.js'
import { ownZone } from '../../../lib/time/time.js'
import { isLowSignal } from '../../ground/entities/low-signal.js'
import { noteSkillUse, skillCalledBy } from '../../ground/note-skill-use.js'
import { tokensOf } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type EnterDeps, enterHook, type HookSession } from '../tracker/enter-hook.js'
import { mayNameTranscript } from '../transcripts/transcript-file.js'
import { queuePrompt } from '../work/merge-uses.js'
import { type ContextPiece, composeContext } from './compose-context.js'
import { entityContext, noEntities } from './entity-context.js'
import { type PromptChoice, promptEvent } from './hook-events.js'
import { type MemoryHookDeps, memoriesForPrompt, noMemories, type PromptMemories } from './memory-hooks.js'
import { peerSection, unreadMessages } from './peer-messages.js'

/** Cached per zone: creating a format takes longer than the rest of the clock text. */
const formatOf = memoize(
  timeZone =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      weekday: 'long',
      timeZoneName: 'longOffset',
    }),
)

type Deps = EnterDeps & MemoryHookDeps & Pick<Daemon, 'requestCounts'>

const defaultBudgetMs = 5000
/** Maximum delay of a timer. */
const longestBudgetMs = 2_147_483_647

/**
 * Returns the context added to a prompt: the time, facts about named entities, memories that answer it (if
 * `context.promptRecall` is on), and unread messages. When a lookup exceeds its time budget, the reply comes
 * without it (rules.md 4.10 and 4.12).
 */
export async function promptSubmit(deps: Deps, caller: Caller, body: PromptBody): Promise<PromptReply> {
  const clock = clockContext(deps.clock())
  const started = performance.now()
  const entry = await enterHook(deps, caller, body, { resumes: true })
  if (entry.kind === 'no-op') return { ...nothing, ...entry.flag }
  const { session } = entry
  await notePrompt(deps, caller, session, body)
  const prompt = body.userMessage ?? body.userPrompt ?? ''
  await queuePrompt(deps, session, prompt)
  const skill = await skillCalledBy(deps, prompt)
  if (skill) await noteSkillUse(deps, { agentId: session.agentId, skill })
  if (body.countOnly) return nothing
  const context = await promptContext(deps, caller, { session, prompt, started, claims: true })
  const { inject, lowSignal, entities, memories, notifications } = context
  noteInjection(deps, lowSignal, entities, memories)
  const tokens = tokensOf(inject)
  const whose = { harness: body.harness, now: deps.clock() }
  deps.requestCounts.injected.note('prompts', tokens, whose)
  noteGiven(deps, session, { entities, memories, notifications, tokens })
  return {
    clockContext: clock,
    dynamicContext: inject,
    inject,
    memoryCount: entities.count + memories.given.length,
    engine: engineOf(lowSignal, entities, memories),
    ...(notifications && { notifications }),
  }
}

export interface PromptContext extends Pick<PromptChoice, 'entities' | 'notifications'> {
  memories: PromptMemories
  inject: string
  /** The text of `inject` in pieces. */
  pieces: readonly ContextPiece[]
  lowSignal: boolean
}

interface PromptRequest {
  session: HookSession
  prompt: string
  /** Time of `performance.now()` from which the time budget counts. */
  started: number
  /** Records the memories as given to the session; otherwise nothing is recorded. */
  claims: boolean
}

/** Builds the context of a prompt. */
export async function promptContext(
  deps: MemoryHookDeps,
  caller: Caller,
  { session, prompt, started, claims }: PromptRequest,
): Promise<PromptContext> {
  const reader = { agentId: session.agentId, sessionKey: session.name?.sessionKey }
  const notifications = await unreadMessages(deps, caller, reader)
  const lowSignal = isLowSignal(prompt)
  const leftMs = () => Math.max(0, budgetMs(deps) - (performance.now() - started))
  const entities = lowSignal
    ? noEntities
    : await entitiesWithin(deps, caller, { session, prompt, claims }, leftMs())
  const memories = lowSignal
    ? noMemories
    : await memoriesForPrompt(deps, caller, { session, prompt, claims }, leftMs())
  const peers = notifications
    ? composeContext([peerSection(notifications)], Number.POSITIVE_INFINITY)
    : undefined
  return {
    inject: [entities.text, memories.text, peers?.text].filter(Boolean).join('\n\n'),
    pieces: [...entities.pieces, ...memories.pieces, ...(peers?.pieces ?? [])],
    lowSignal,
    entities,
    memories,
    notifications,
  }
}

/** Recorded later, so that no prompt waits for it. */
function noteGiven(
  { blackBoxes, configuration }: Deps,
  { name, project }: HookSession,
  told: Omit<PromptChoice, 'minScore'>,
): void {
  if (!name) return
  const { minScore } = configuration().settings.hooks.userPromptSubmit
  const event = promptEvent({ ...told, minScore })
  if (event) blackBoxes.note({ ...name, project }, [event])
}

/** Telemetry of the entity lookup for a prompt (telemetry.md 3). */
function noteInjection(
  { telemetry }: Deps,
  lowSignal: boolean,
  entities: PromptChoice['entities'],
  memories: PromptMemories,
): void {
  const surface = 'prompt_injection'
  const isGiven = entities.text !== '' || memories.text !== ''
  const delivery = isGiven ? 'injected' : 'not_delivered'
  if (lowSignal) {
    const reason = 'skipped_low_signal'
    telemetry.note({ event: 'recall.outcome', properties: { surface, result: 'empty', delivery, reason } })
    return
  }
  const result = entities.missed ? 'error' : isGiven ? 'non_empty' : 'empty'
  telemetry.note({ event: 'recall.attempted', properties: { surface } })
  telemetry.note({ event: 'recall.outcome', properties: { surface, result, delivery } })
}

const nothing: PromptReply = {
  clockContext: '',
  dynamicContext: '',
  inject: '',
  memoryCount: 0,
  engine: 'none',
}

function engineOf(
  lowSignal: boolean,
  entities: PromptChoice['entities'],
  memories: PromptMemories,
): PromptReply['engine'] {
  if (lowSignal) return 'low-signal'
  if (entities.text) return 'entity-context'
  return memories.text ? 'recall' : 'none'
}

/** Counts low-signal prompts too: they show that the session is alive, and where its transcript is. */
async function notePrompt(
  deps: Deps,
  caller: Caller,
  { name }: HookSession,
  body: PromptBody,
): Promise<void> {
  if (!name) return
  const { transcriptPath } = body
  // The sweep of abandoned sessions captures this file, so only a caller that may capture it can set the
  // path.
  const isTaken =
    transcriptPath &&
    caller.access.permissions.has('remember') &&
    (await mayNameTranscript(deps, caller, transcriptPath))
  await deps.store.write({ until: 'executed' }, async ({ sessions }) => {
    await sessions.countPrompt(name)
    if (isTaken) await sessions.note(name, { transcriptPath })
  })
}

/** Continues without entities that could not be found in time or at all. */
async function entitiesWithin(
  deps: EnterDeps & Pick<Daemon, 'log'>,
  caller: Caller,
  { session, prompt, claims }: { session: HookSession; prompt: string; claims: boolean },
  leftMs: number,
): Promise<PromptChoice['entities']> {
  const lazy = new Error('entities not found in time')
  try {
    return await within(entityContext(deps, caller, session, prompt, { claims }), leftMs, () => lazy)
  } catch (error) {
    deps.log.warn({ err: error, late: error === lazy }, 'prompt without entity context')
    return { ...noEntities, missed: error === lazy ? 'late' : 'failed' }
  }
}

/** SERVICE_PROMPT_SUBMIT_TIMEOUT in milliseconds; any other value than a positive number counts as absent. */
function budgetMs({ environment }: Pick<Daemon, 'environment'>): number {
  const value = Number(environment.SERVICE_PROMPT_SUBMIT_TIMEOUT)
  return value > 0 ? Math.min(value, longestBudgetMs) : defaultBudgetMs
}

/**
 * The date and time with UTC offset and IANA zone for a session (rules.md 4.10).
 * @param timeZone an IANA name. @returns for example `Current time: 2026-03-29T14:05:09+02:00 (Sunday,
 * Europe/Berlin)`.
 */
export function clockContext(now: Date, timeZone = ownZone()): string {
  const parts = formatOf(timeZone).formatToParts(now)
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const date = [part('year'), part('month'), part('day')].join('-')
  const time = [part('hour'), part('minute'), part('second')].join(':')
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00'
  return `Current time: ${date}T${time}${offset} (${part('weekday')}, UTC${offset}, ${timeZone})`
}
