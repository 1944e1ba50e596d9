import type { PreviewPart, PreviewRecord } from '../../../contract/sessions/preview.js'
import { tokensOf } from '../../ground/text/tokens.js'
import { cutNote } from '../harness/fit-context.js'
import { type ChosenMemory, placeOf } from '../hooks/choose-memories.js'
import type { ContextPiece } from '../hooks/compose-context.js'
import type { EntityContext } from '../hooks/entity-context.js'
import type { ContextParts } from '../hooks/session-context.js'

/** A piece of a context with its reason. */
export type ReasonedPiece = Omit<PreviewPart, 'tokens'>

/** The sections that have no records, and why they are there. */
const plainSections: Readonly<Record<string, readonly [kind: PreviewPart['kind'], why: string]>> = {
  instructions: ['instructions', 'instructions'],
  plugin: ['plugin', 'plugin'],
  sessionKey: ['sessionKey', 'for tools'],
  label: ['label', 'caution'],
  identity: ['identity', 'IDENTITY.md'],
  recentContext: ['summary', 'MEMORY.md'],
}

/** Their heading is a piece of its own. */
const titled: ReadonlySet<string> = new Set(['identity', 'recentContext'])

type RecordOf = (position: number) => Pick<PreviewPart, 'kind' | 'why' | 'record'> | undefined

/** Adds reasons to the pieces of a start. */
export function reasonStart(
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
export function reasonPrompt(
  pieces: readonly ContextPiece[],
  { given }: Pick<EntityContext, 'given'>,
  notifications: ContextParts['notifications'],
): ReasonedPiece[] {
  return reasoned(pieces, {
    notifications: messageReasons(notifications),
    entities: position => {
      const one = given[position]
      if (!one) return undefined
      const { id, by, score } = one
      const record: PreviewRecord = { id, place: 'entity', rank: position + 1, ...(score && { score }) }
      return { kind: 'entity', why: `by ${by}`, record }
    },
  })
}

/** Adds reasons to the pieces of a sub-agent's context. */
export function reasonSubagent(
  pieces: readonly ContextPiece[],
  chosen: readonly ChosenMemory[],
): ReasonedPiece[] {
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
export function partsOf(text: string, pieces: readonly ReasonedPiece[]): PreviewPart[] {
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
