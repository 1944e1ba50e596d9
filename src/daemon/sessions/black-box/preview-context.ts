import type { InjectedItem } from '../../../contract/sessions/black-box.js'
import {
  type HarnessHook,
  isDialectHarness,
  type PreviewEvent,
  type PreviewHarness,
} from '../../../contract/sessions/harness-names.js'
import type {
  ContextPreview,
  PreviewBody,
  PreviewPart,
  PreviewRecord,
} from '../../../contract/sessions/preview.js'
import { labelOf } from '../../../lib/text/labels.js'
import { headOf } from '../../ground/projects/repository.js'
import { charactersPerToken, tokensOf } from '../../ground/text/tokens.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { dialectOf } from '../harness/dialects.js'
import { cutNote, fitReply, type Room } from '../harness/fit-context.js'
import { type ChosenMemory, placeOf } from '../hooks/choose-memories.js'
import type { ContextPiece } from '../hooks/compose-context.js'
import { type GatheredContext, gatherContext } from '../hooks/gather-context.js'
import type { MemoryHookDeps } from '../hooks/memory-hooks.js'
import { withoutMessagesOf } from '../hooks/peer-messages.js'
import { clockContext, type PromptContext, promptContext } from '../hooks/prompt-submit.js'
import { type ContextParts, sessionContext } from '../hooks/session-context.js'
import { findParent, shownBefore } from '../hooks/session-start.js'
import { maxSubagentTokens, subagentContext } from '../hooks/subagent-start.js'
import { type EnterDeps, type HookSession, peekHook } from '../tracker/enter-hook.js'
import { differenceToLast } from './preview-difference.js'
import { type LeftOutGroup, promptGroups, shortened, startGroups, subagentGroups } from './preview-groups.js'

/** A piece of a context with its reason. */
type ReasonedPiece = Omit<PreviewPart, 'tokens'>

/** The sections that have no records, and why they are there. */
const plainSections: Readonly<Record<string, readonly [kind: PreviewPart['kind'], why: string]>> = {
  instructions: ['instructions', 'instructions'],
  plugin: ['plugin', 'plugin'],
  sessionKey: ['sessionKey', 'for tools'],
  label: ['label', 'caution'],
  identity: ['identity', 'IDENTITY.md'],
  moved: ['heading', 'folder gone'],
  unfinished: ['heading', 'tests failed last'],
  recentContext: ['summary', 'MEMORY.md'],
}

/** Their heading is a piece of its own. */
const titled: ReadonlySet<string> = new Set(['identity', 'recentContext'])

type RecordOf = (position: number) => Pick<PreviewPart, 'kind' | 'why' | 'record'> | undefined

/** Adds reasons to the pieces of a start. */
function reasonStart(
  pieces: readonly ContextPiece[],
  chosen: readonly ChosenMemory[],
  { notifications, continuity }: Pick<ContextParts, 'notifications' | 'continuity'>,
): ReasonedPiece[] {
  return reasoned(pieces, {
    memories: memoryReasons(chosen),
    continuity: position => {
      const node = continuity.nodes[position]
      return (
        node && {
          kind: 'session',
          why: node.by === 'parent' ? 'parent session' : 'session',
          record: { id: node.id, place: 'session', rank: position + 1 },
        }
      )
    },
    notifications: messageReasons(notifications),
  })
}

/** Adds reasons to the pieces of a prompt. */
function reasonPrompt({ pieces, entities, memories, notifications }: PromptContext): ReasonedPiece[] {
  const itemReasons =
    (given: readonly InjectedItem[], kind: 'entity' | 'memory', place: PreviewRecord['place']): RecordOf =>
    position => {
      const one = given[position]
      if (!one) return undefined
      const { id, by, score } = one
      const record: PreviewRecord = { id, place, rank: position + 1, ...(score && { score }) }
      return { kind, why: `by ${by}`, record }
    }
  return reasoned(pieces, {
    notifications: messageReasons(notifications),
    entities: itemReasons(entities.given, 'entity', 'entity'),
    memories: itemReasons(memories.given, 'memory', 'answer'),
  })
}

/** Adds reasons to the pieces of a sub-agent's context. */
function reasonSubagent(pieces: readonly ContextPiece[], chosen: readonly ChosenMemory[]): ReasonedPiece[] {
  return reasoned(pieces, { memories: memoryReasons(chosen) })
}

function reasoned(
  pieces: readonly ContextPiece[],
  recordsOf: Readonly<Record<string, RecordOf>>,
): ReasonedPiece[] {
  return pieces.map(({ text, section, record }, index) => {
    const isHeading = titled.has(section) && pieces[index + 1]?.section === section
    const [kind, why] = (!isHeading && plainSections[section]) || (['heading', ''] as const)
    const found = record === undefined ? undefined : recordsOf[section]?.(record)
    const isFooting = record === undefined && pieces[index - 1]?.record !== undefined
    if (isFooting && kind === 'heading' && pieces[index - 1]?.section === section)
      return { text, kind: 'frame', why }
    return { text, ...(found ?? { kind, why }) }
  })
}

function messageReasons(notifications: ContextParts['notifications']): RecordOf {
  return position => {
    const message = notifications?.items[position]
    if (!message) return undefined
    const record: PreviewRecord = { id: message.id, place: 'message', rank: position + 1 }
    return { kind: 'message', why: 'unread message', record }
  }
}

function memoryReasons(chosen: readonly ChosenMemory[]): RecordOf {
  return position => {
    const memory = chosen[position]
    if (!memory) return undefined
    const place = placeOf(memory)
    const { preview, score, isPinned } = memory
    const { id, type, importance, created_at: createdAt } = preview
    const rank = chosen.slice(0, position + 1).filter(one => placeOf(one) === place).length
    const record = { id, place, rank, type, pinned: isPinned, score, importance, createdAt }
    return { kind: 'memory', why: reasonOfMemory(memory), record }
  }
}

function reasonOfMemory(memory: ChosenMemory): string {
  if (memory.isPinned) return 'pinned'
  const place = placeOf(memory)
  if (place === 'issue') return 'open issue'
  return place === 'guide' ? memory.preview.type : 'newest'
}

/**
 * Splits a text at its pieces, with the line ends behind each; the parts together are the text. Lines that
 * belong to no piece are the frame of the context, or the note of a harness's limit.
 */
function partsOf(text: string, pieces: readonly ReasonedPiece[]): PreviewPart[] {
  const parts: PreviewPart[] = []
  const add = (part: ReasonedPiece): number => parts.push({ ...part, tokens: tokensOf(part.text) })
  let at = 0
  for (const piece of pieces) {
    const from = text.indexOf(piece.text, at)
    if (from < 0) continue
    if (from > at) add(frameOf(text.slice(at, from)))
    at = from + piece.text.length
    while (text[at] === '\n') at++
    add({ ...piece, text: text.slice(from, at) })
  }
  if (at < text.length) add(frameOf(text.slice(at)))
  return parts
}

function frameOf(text: string): ReasonedPiece {
  if (text.includes(cutNote)) return { text, kind: 'shortened', why: 'limit of agent' }
  return { text, kind: 'frame', why: '' }
}

type Deps = EnterDeps & MemoryHookDeps & Pick<Daemon, 'paths' | 'blackBoxes' | 'log' | 'plugins' | 'budget'>

type Draft = Pick<ContextPreview, 'text' | 'maxTokens' | 'parts' | 'note' | 'shownBefore'> & {
  groups: readonly LeftOutGroup[]
}

/**
 * Returns the text that the hook of a harness would give now, with the reason for each part and the records
 * that it leaves out. It uses the same functions as the hooks and records nothing (sessions.md#preview).
 * @throws AppError `scope_violation` for values outside the credential's scope
 */
export async function preview(deps: Deps, caller: Caller, body: PreviewBody): Promise<ContextPreview> {
  const { harness, event } = body
  const session = await peekHook(deps, caller, body, { claims: event === 'start' })
  const draft = await draftOf(deps, caller, session, body)
  const { project, repository } = session
  const head = repository && (await headOf(repository))
  const { groups, ...rest } = draft
  return {
    harness,
    event,
    agentId: session.agentId,
    project,
    projectName: project === null ? null : deps.projects.nameOf(project),
    branch: head?.branch ?? null,
    sessionKey: session.name?.sessionKey ?? null,
    ...rest,
    tokens: tokensOf(draft.text),
    groups: groups.map(shortened),
    ...(body.diff && { difference: await differenceToLast(deps, caller, session, draft) }),
  }
}

/** How the texts of a harness arrive. */
interface Delivery {
  room: Room
  hasEvent(hook: HarnessHook): boolean
  /** The context of a start arrives with the first prompt. */
  startsWithPrompt: boolean
  /** A start that was missed arrives with the next prompt. */
  catchesUp: boolean
}

const hookOf: Readonly<Record<PreviewEvent, HarnessHook>> = {
  start: 'session-start',
  prompt: 'user-prompt-submit',
  subagent: 'subagent-start',
}

const momentOf: Readonly<Record<PreviewEvent, string>> = {
  start: 'context at the start of a session',
  prompt: 'context with a prompt',
  subagent: 'the start of a sub-agent',
}

function deliveryOf(harness: PreviewHarness): Delivery {
  if (!isDialectHarness(harness)) return pluginDelivery
  const { events, injects, startsWithPrompt = false, sizeOf, maxSize } = dialectOf(harness)
  return {
    room: { sizeOf, maxSize },
    hasEvent: hook => injects.has(events[hook] ?? '') || (startsWithPrompt && hook === 'session-start'),
    startsWithPrompt,
    catchesUp: injects.has(events['user-prompt-submit'] ?? ''),
  }
}

/** A plugin adds each reply whole, and knows nothing of sub-agents. */
const pluginDelivery: Delivery = {
  room: { sizeOf: text => text.length, maxSize: Number.POSITIVE_INFINITY },
  hasEvent: hook => hook !== 'subagent-start',
  startsWithPrompt: false,
  catchesUp: false,
}

async function draftOf(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { harness, event, prompt }: PreviewBody,
): Promise<Draft> {
  const delivery = deliveryOf(harness)
  const name = labelOf('harness', harness)
  if (!delivery.hasEvent(hookOf[event])) return nothing(`${name} has no hook for ${momentOf[event]}`)
  if (session.row?.bypassed === 1) return nothing('The hooks of this session are off')
  if (event === 'subagent') return subagentDraft(deps, caller, session, delivery)
  if (event === 'prompt') return promptDraft(deps, caller, session, { delivery, prompt: prompt ?? '' })
  const start = await startDraft(deps, caller, session, delivery)
  return delivery.startsWithPrompt && start.text !== ''
    ? { ...start, note: `${name} gets this text with its first prompt` }
    : start
}

function nothing(note: string): Draft {
  return { text: '', maxTokens: 0, note, parts: [], groups: [], shownBefore: 0 }
}

interface StartText {
  gathered: GatheredContext
  inject: string
  pieces: ReasonedPiece[]
  shown: ReadonlySet<string>
}

/** @param given ids of memories that the same prompt brings */
async function startText(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  given: readonly string[] = [],
): Promise<StartText> {
  const parent = await findParent(deps, session)
  const own = { ...session, project: session.project ?? parent?.project ?? null }
  const before = session.before?.end_reason === 'clear' ? [] : await shownBefore(deps, session)
  const shown = new Set([...before, ...given])
  const options = { parentKey: parent?.key, shown, isResumed: false }
  const gathered = await gatherContext(deps, caller, own, options)
  const { parts, settings, choice } = gathered
  const key = parts.sessionKey ?? standInKey(session.harness)
  const { context, pieces } = sessionContext({ ...parts, sessionKey: key }, settings.maxInjectTokens)
  return { gathered, inject: context.inject, pieces: reasonStart(pieces, choice.chosen, parts), shown }
}

/** A key with about as many characters and tokens as those of the harness, since the budget counts it. */
function standInKey(harness: string): string {
  return harness === 'opencode' ? 'ses_0ab00cd00ef0ab00cd00ef0ab0' : '00ab00cd-0ef0-40ab-80cd-0ab00cd00ef0'
}

async function startDraft(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { room }: Delivery,
): Promise<Draft> {
  const { gathered, inject, pieces, shown } = await startText(deps, caller, session)
  const text = fitReply(room, { inject })
  const parts = partsOf(text, pieces)
  const { maxInjectTokens: maxTokens } = gathered.settings
  const isTooSmall = inject === '' && pieces.length === 0
  return {
    text,
    maxTokens,
    parts,
    groups: await startGroups(deps, caller, session, gathered, parts),
    shownBefore: shown.size,
    ...(isTooSmall && { note: 'The budget is too small for the instructions, so the agent gets nothing' }),
  }
}

async function promptDraft(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { delivery, prompt }: { delivery: Delivery; prompt: string },
): Promise<Draft> {
  const started = performance.now()
  const context = await promptContext(deps, caller, { session, prompt, started, claims: false })
  const { entities, notifications, inject, lowSignal } = context
  const start = isOwed(session, delivery)
    ? await startText(
        deps,
        caller,
        session,
        context.memories.given.map(({ id }) => id),
      )
    : undefined
  const before = start && withoutMessagesOf(inject, start.inject)
  const clock = isClockDue(deps, session, delivery) ? clockContext(deps.clock()) : ''
  const text = fitReply(delivery.room, { clockContext: clock, inject }, before)
  const ofStart = start?.pieces.filter(({ text: piece }) => before?.includes(piece)) ?? []
  const parts = partsOf(text, [
    { text: clock, kind: 'clock', why: 'once a day' },
    ...ofStart,
    ...reasonPrompt(context),
  ])
  const { maxInjectChars } = deps.configuration().settings.hooks.userPromptSubmit
  const found = start ? await startGroups(deps, caller, session, start.gathered, parts) : []
  return {
    text,
    maxTokens: Math.ceil(maxInjectChars / charactersPerToken),
    parts,
    groups: [...promptGroups(entities, notifications, parts), ...found.filter(isOfStart)],
    shownBefore: start?.shown.size ?? 0,
    ...(inject === '' && { note: lowSignal ? tooShort : nothingNamed }),
  }
}

const tooShort = 'The prompt is a greeting, a command or too short, so nothing is looked up'
const nothingNamed = 'The prompt names no entity with a fact that is certain enough'

/** The prompt's own messages replace those of the start. */
function isOfStart({ place }: LeftOutGroup): boolean {
  return place !== 'message'
}

/** True when the context of the start arrives with this prompt (rules.md 4.10). */
function isOwed({ name, before }: HookSession, { startsWithPrompt, catchesUp }: Delivery): boolean {
  if (startsWithPrompt) return (before?.prompts ?? 0) === 0
  return catchesUp && name !== undefined && before === undefined
}

/** Harnesses with a plugin get the time with each prompt, the others once a day. */
function isClockDue({ clock }: Deps, { before }: HookSession, { catchesUp }: Delivery): boolean {
  if (!catchesUp || !before || before.prompts === 0) return true
  return new Date(before.seen_at).toDateString() !== clock().toDateString()
}

async function subagentDraft(
  deps: Deps,
  caller: Caller,
  session: HookSession,
  { room }: Delivery,
): Promise<Draft> {
  const { inject, pieces, chosen, displaced } = await subagentContext(deps, caller, session)
  const text = fitReply(room, { inject })
  const parts = partsOf(text, reasonSubagent(pieces, chosen))
  return {
    text,
    maxTokens: maxSubagentTokens,
    parts,
    groups: await subagentGroups(deps, caller, session, { chosen, displaced }, parts),
    shownBefore: 0,
    ...(inject === '' && { note: 'No rule, preference, decision or pinned memory exists here' }),
  }
}
