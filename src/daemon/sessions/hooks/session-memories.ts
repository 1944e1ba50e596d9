import type { MemoryPreview } from '../../../contract/sessions/hooks.js'
import { clip } from '../../../lib/text/clip.js'
import { harmless } from '../../../lib/text/harmless.js'

import { blockOf, label, oneLine } from '../../../lib/text/one-line.js'
import { shortId } from '../../../lib/text/uuid.js'
import { beginningOf, withoutSecrets } from '../../../lib/text/without-secrets.js'
import { formatAge } from '../../../lib/time/age.js'
import type { MemoryFilter, ReadBoundary } from '../../../store/tables/memory/memory-filter.js'
import type { ScoredMemory } from '../../../store/tables/memory/memory-scores.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import { readBoundary } from '../../ground/visibility/boundary.js'
import type { Caller } from '../../ground/visibility/caller.js'
import { judgementFactor } from '../../memory/recall/ranking/steps.js'
import { verbatimOf } from '../../memory/records/layout.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { HookSession } from '../tracker/enter-hook.js'
import type { Section } from './compose-context.js'

type Deps = Pick<Daemon, 'store' | 'clock' | 'projects'>

/** Maximum characters of a memory shown to a session; memory_get returns the rest. */
const maxPreview = 500
/** Characters read for a preview, private spans included. */
const maxRead = 8000

export interface ScoreOptions {
  limit: number
  recencyBias: number
  /** True when earlier sessions are shown too; compactions then appear there. */
  continuity?: boolean
  /** Ids already in the session's context. */
  shown: ReadonlySet<string>
}

/** A candidate memory for a session's start, with its score. */
export interface BestMemory {
  preview: MemoryPreview
  score: number
  isPinned: boolean
  /** Recalls that are counted in its row; the newest ones may be missing. */
  uses: number
  /** A person's judgement: 1 helpful, -1 not helpful, -2 wrong, 0 none. */
  judged: number
}

/** The memories that a session may see. */
export interface SessionView extends Pick<MemoryFilter, 'branches'> {
  boundary: ReadBoundary
  session: HookSession
  /** False when no memory has further holders. */
  further: boolean
}

export async function viewOf(
  { store, projects }: Pick<Deps, 'store' | 'projects'>,
  caller: Caller,
  session: HookSession,
): Promise<SessionView> {
  const [boundary, branches, further] = await Promise.all([
    readBoundary({ store }, caller, session),
    projects.branches.filterFor(session.project, session.repository),
    store.tables.holders.any(),
  ])
  return { boundary, branches, session, further }
}

/**
 * Returns the best memories in a session's view, as previews (rules.md 2.4 and 4.12); with `types` only these
 * and pinned memories. `isAgeless` orders by importance, then the newest; the score stays the same.
 * Judgements of people weigh in the score as in recall.
 */
export async function bestMemories(
  deps: Pick<Deps, 'store' | 'clock'>,
  { boundary, branches, further, session: { project, name } }: SessionView,
  {
    limit,
    recencyBias,
    continuity = false,
    shown,
    types,
    isAgeless,
  }: ScoreOptions & { types?: readonly string[]; isAgeless?: boolean },
): Promise<BestMemory[]> {
  const rows = await deps.store.tables.memories.best({
    boundary,
    project,
    recencyBias,
    isAgeless,
    limit,
    types,
    branches,
    further,
    except: [...shown],
    withoutCompactions: continuity && project !== null ? 'all' : { of: name?.sessionKey },
    now: deps.clock().toISOString(),
    maxContent: maxRead,
  })
  const memories = rows
    .map(row => {
      const judged = row.judged ?? 0
      const score = row.score * judgementFactor(judged)
      return { preview: previewOf(row), score, isPinned: row.pinned === 1, uses: row.access_count, judged }
    })
    .filter(({ preview }) => preview.content !== '')
  return isAgeless ? memories : memories.sort((a, b) => b.score - a.score)
}

/** True for a memory that a person marked as wrong, which no session gets. */
export function isWrong({ judged }: BestMemory): boolean {
  return judged < -1
}

function previewOf(row: ScoredMemory): MemoryPreview {
  const { id, type, importance, created_at, tags, project, source_type, source_id } = row
  const content = withoutPrivate(row.content).trim()
  const lines = verbatimOf(row)
  const truncated = content.length > maxPreview || row.characters > maxRead
  return {
    id,
    content: shownText(content),
    ...(lines?.includes('\n') && { verbatim: shownText(lines) }),
    type,
    importance,
    created_at,
    tags,
    project,
    source_type,
    source_id,
    truncated,
  }
}

/**
 * Returns the beginning of a memory without private spans. Every session of every agent gets this text, so
 * anything that looks like a credential is removed.
 */
export function shownText(content: string): string {
  return clip(withoutSecrets(beginningOf(withoutPrivate(content).trim(), maxPreview)), maxPreview)
}

/** How many memories there are to find, besides the shown ones. */
export interface ShownOf {
  now: Date
  /** Memories of this project and of none. */
  total: number
  /** From this number on, the total is a lower limit. */
  counted: number
}

/** The memories of a start, one line each: type, age, text and the end of the id. */
export function memorySection(memories: readonly MemoryPreview[], { now, total, counted }: ShownOf): Section {
  return {
    name: 'memories',
    heading: '## Memories',
    records: memories.map(memory => memoryLine(memory, now)),
    footing: count => {
      if (total <= count) return ''
      const all = total.toLocaleString('en')
      return `${count} of ${total >= counted ? `more than ${all}` : all} shown: memory_search finds the rest.`
    },
  }
}

export function memoryLine(
  {
    id,
    content,
    verbatim,
    type,
    created_at,
    truncated,
  }: Omit<MemoryPreview, 'importance' | 'tags' | 'project' | 'source_type' | 'source_id'>,
  now: Date,
): string {
  const more = truncated ? ', shortened' : ''
  const age = formatAge(created_at, now.getTime())
  const block = blockOf(verbatim, maxPreview)
  const ending = `(${label(shortId(id))}${more})`
  return harmless(
    `- ${type}, ${age}${block === undefined ? `: ${oneLine(content, maxPreview)} ${ending}` : ` ${ending}:${block}`}`,
  )
}

/** Words that announce a statement and say nothing. */
const announcing = new Set(['please', 'remember', 'reminder', 'note', 'important', 'that'])
/** Share of common words from which two texts count as alike. */
const fewestCommon = 0.85

/** Returns the id of an accepted text that says the same as this one; accepts this one if there is none. */
export type FindAlike = (text: string, id: string) => string | undefined

/**
 * Creates a finder of repeated texts. Two texts say the same if they have nearly all words in common, and the
 * same numbers. Order, case, punctuation and words such as `remember` do not count.
 */
export function createAlikeFinder(): FindAlike {
  const accepted: { id: string; words: TextWords }[] = []
  return (text, id) => {
    const words = wordsOf(text)
    const alike = accepted.find(one => isAlike(one.words, words))
    if (!alike) accepted.push({ id, words })
    return alike?.id
  }
}

interface TextWords {
  all: ReadonlySet<string>
  /** Words with a digit. */
  numbers: readonly string[]
}

function isAlike(one: TextWords, { all, numbers }: TextWords): boolean {
  if (one.numbers.length !== numbers.length || !one.numbers.every(number => all.has(number))) return false
  const common = [...one.all].filter(word => all.has(word)).length
  return common > 0 && common / (one.all.size + all.size - common) >= fewestCommon
}

function wordsOf(text: string): TextWords {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const all = new Set(words.filter(word => !announcing.has(word)))
  return { all, numbers: [...all].filter(word => /\p{N}/u.test(word)) }
}
