import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { readBelow, withoutMarks } from '../../../ground/reading/layout/below-heading.js'
import { readLine } from '../../../ground/reading/read-line.js'
import { type Fact, type NamedThing, type ReadingContext, user } from '../../../ground/reading/reading.js'
import { isTool } from '../../../ground/reading/words/names.js'
import { literalPattern } from '../../../ground/text/own-paths.js'
import {
  type DreamReader,
  type EvidenceText,
  type ExtractedOperation,
  isBelieved,
  type KnownName,
} from '../reader.js'
import { operationsOf } from './fact-operations.js'
import { readFrontMatter } from './front-matter.js'
import { linesBelowHeadings, linesOf, type StatedLine } from './lines.js'

/** `checkout service` is the thing `checkout`, if both are named. */
const kindOfThing = /^(.+) (?:service|app|component|package|library|module|repo|repository)$/iu
/** Types that such a thing may have. */
const things = new Set(['component', 'concept', 'project', 'repository', 'service', 'tool', 'topic'])

/** Fields of payloads with a name, and those with its type. */
const nameFields = { name: 'type', entity: 'entityType', from: 'fromType', to: 'toType' }

/**
 * Extracts facts with rules instead of a model (knowledge.md#what-is-read). Precision comes before recall: a
 * sentence that is not understood is skipped.
 */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async ({ pieces, known, project, signal }) => {
    const pause = everyFewMs()
    const byKey = indexOf(known)
    const read: { piece: EvidenceText; found: ExtractedOperation[] }[] = []
    const named = new Map(byKey)
    for (const piece of pieces) {
      await pause()
      signal.throwIfAborted()
      const found = await readText(piece, named, project, pause)
      noteNames(named, found)
      read.push({ piece, found })
    }
    const operations: ExtractedOperation[] = []
    for (const { piece, found } of read) {
      await pause()
      operations.push(...found, ...(piece.sourceKind === 'memory' ? mentionsIn(piece, named, found) : []))
    }
    return { operations: joinNames(operations, byKey), failed: [], left: [] }
  },
}

/** Makes the names of one text known to those that follow, as if they were read later. */
function noteNames(named: Map<string, KnownName>, found: readonly ExtractedOperation[]): void {
  for (const { operation } of found) {
    if (operation.operation !== 'create_entity') continue
    const { name, type } = operation.payload
    const key = nameKey(name)
    if (!named.has(key)) named.set(key, { name, type, aliases: [], entityId: key, claims: [] })
  }
}

/** In a longer text that nobody saved as a memory a line means little: its facts are only proposed. */
const storyLines = 8

/** Reads the facts of one text. */
async function readText(
  piece: EvidenceText,
  known: ReadonlyMap<string, KnownName>,
  project: string | null,
  pause: () => Promise<void> | undefined,
): Promise<ExtractedOperation[]> {
  if (!isBelieved(piece)) return []
  const base = contextOf(piece, known, project)
  const matter =
    piece.sourceKind === 'transcript' ? noMatter(piece) : readFrontMatter(piece.text, piece.title, base.find)
  const lines = statedLines(piece, matter, base)
  const isAlone = lines.length === 1 && piece.sourceKind === 'memory'
  const context = { ...base, isAlone }
  const isStory = piece.sourceKind !== 'memory' && matter.body.split('\n').length > storyLines
  const found = matter.facts.flatMap(fact => operationsOf(fact, { piece, project, isStory: false, known }))
  for (const { line, topic, quote } of lines) {
    await pause()
    const { text, given } = withoutMarks(line)
    const { facts } = topic ? readBelow(text, context, topic) : readLine(text, context)
    const quoted = facts.map(fact => ({ ...fact, quote: quote ?? given(fact.quote) }))
    found.push(...quoted.flatMap(fact => operationsOf(fact, { piece, project, isStory, known })))
  }
  return found
}

/** The lines of a text; headings are only those of notes, not of what somebody types. */
function statedLines(
  piece: EvidenceText,
  { body, about }: ReturnType<typeof readFrontMatter>,
  { find }: ReadingContext,
): StatedLine[] {
  if (piece.sourceKind !== 'transcript')
    return linesBelowHeadings(body, find, about && { thing: about, isSure: true })
  return linesOf(body).map(line => ({ line, topic: undefined, quote: undefined }))
}

function noMatter({ text: body }: EvidenceText): ReturnType<typeof readFrontMatter> {
  return { facts: [], body, about: undefined }
}

function contextOf(
  { at, sourceKind }: EvidenceText,
  known: ReadonlyMap<string, KnownName>,
  project: string | null,
): ReadingContext {
  const find = (name: string) => {
    const one = known.get(nameKey(name))
    return one && { name: one.name, type: one.type }
  }
  return {
    project: project === null ? undefined : (find(project) ?? { name: project, type: 'project' }),
    saidAt: at,
    find,
    isSpoken: sourceKind === 'transcript',
  }
}

function indexOf(known: readonly KnownName[]): Map<string, KnownName> {
  const byKey = new Map<string, KnownName>()
  for (const one of known)
    for (const name of [one.name, ...one.aliases]) {
      const key = nameKey(name)
      if (!byKey.has(key)) byKey.set(key, one)
    }
  for (const [key, one] of firstNamesOf(known)) if (!byKey.has(key)) byKey.set(key, one)
  return byKey
}

/** People by their first names, where only one of them has it. */
function firstNamesOf(known: readonly KnownName[]): Map<string, KnownName> {
  const byFirst = new Map<string, KnownName[]>()
  for (const one of known) {
    const [first = '', ...rest] = one.type === 'person' ? one.name.split(/\s+/u) : []
    if (rest.length > 0) byFirst.set(nameKey(first), [...(byFirst.get(nameKey(first)) ?? []), one])
  }
  return new Map([...byFirst].flatMap(([key, [one, other]]) => (one && !other ? [[key, one]] : [])))
}

/** Entities linked with one memory in addition to those it states facts about. */
const maxMentions = 5

/** Links a memory with known entities whose names occur in it as whole words. */
function mentionsIn(
  piece: EvidenceText,
  known: ReadonlyMap<string, KnownName>,
  found: readonly ExtractedOperation[],
): ExtractedOperation[] {
  const told = new Set(
    found.flatMap(({ operation }) =>
      operation.operation === 'create_entity' ? [nameKey(operation.payload.name)] : [],
    ),
  )
  const named = [...new Set(known.values())].filter(
    ({ entityId, name }) => entityId !== undefined && name !== user.name && !told.has(nameKey(name)),
  )
  return named
    .flatMap(({ name, type, aliases }) => {
      const quote = quoteOf(piece.text, [name, ...aliases])
      return quote === undefined ? [] : mentionOf(piece, { name, type }, quote)
    })
    .slice(0, maxMentions)
}

function mentionOf(
  { sourceKind, sourceId }: EvidenceText,
  payload: Fact['subject'],
  quote: string,
): ExtractedOperation {
  const evidence = [{ sourceKind, sourceId, quote }]
  const operation = {
    operation: 'create_entity' as const,
    payload,
    reason: 'named in the text',
    confidence: 0.85,
    evidence,
  }
  return { operation, isSure: true, by: 'mention' }
}

/** Common words: an entity with such a name is only matched in the same case. */
const commonWords: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])

/** Returns the first of some names that occurs in a text as a whole word, as written there. */
function quoteOf(text: string, names: readonly string[]): string | undefined {
  const folded = text.toLowerCase()
  for (const one of names) {
    if (!folded.includes(one.toLowerCase())) continue
    const word = new RegExp(
      `(?<![\\p{L}\\p{N}])${literalPattern(one)}(?![\\p{L}\\p{N}])`,
      commonWords.has(nameKey(one)) ? 'u' : 'iu',
    )
    const [quote] = word.exec(text) ?? []
    if (quote !== undefined) return quote
  }
  return undefined
}

/**
 * Joins names of one thing: "the checkout service" gets the name "checkout" where that is known or named in
 * the same texts. The longer name becomes an alias.
 */
function joinNames(
  operations: readonly ExtractedOperation[],
  known: ReadonlyMap<string, KnownName>,
): ExtractedOperation[] {
  const shorter = shorterNames(operations, known)
  if (shorter.size === 0) return [...operations]
  return operations.flatMap(one => {
    const joined = renamed(one, shorter)
    if (joined === one || one.operation.operation !== 'create_entity') return [joined]
    const { name: alias } = one.operation.payload
    const { name: entity, type: entityType } = (joined.operation as typeof one.operation).payload
    const payload = { entity, entityType, alias }
    return [joined, { ...joined, operation: { ...joined.operation, operation: 'add_alias', payload } }]
  })
}

function shorterNames(
  operations: readonly ExtractedOperation[],
  known: ReadonlyMap<string, KnownName>,
): Map<string, NamedThing> {
  const named = new Map<string, NamedThing>(known)
  for (const { operation } of operations) {
    if (operation.operation !== 'create_entity') continue
    const key = nameKey(operation.payload.name)
    if (!named.has(key)) named.set(key, operation.payload)
  }
  const shorter = new Map<string, NamedThing>()
  for (const [key, { name }] of named) {
    const [, base = ''] = kindOfThing.exec(name) ?? []
    const one = named.get(nameKey(base))
    // A longer name that was stored before stays an entity; only a person merges those.
    // `The iOS app` is not iOS.
    if (one && !isTool(base) && things.has(one.type) && !known.has(key)) shorter.set(key, one)
  }
  return shorter
}

function renamed(one: ExtractedOperation, shorter: ReadonlyMap<string, NamedThing>): ExtractedOperation {
  const payload = { ...one.operation.payload } as Record<string, unknown>
  let isChanged = false
  for (const [field, typeField] of Object.entries(nameFields)) {
    const name = payload[field]
    const short = typeof name === 'string' ? shorter.get(nameKey(name)) : undefined
    if (!short) continue
    payload[field] = short.name
    if (payload[typeField] !== undefined) payload[typeField] = short.type
    isChanged = true
  }
  return isChanged ? { ...one, operation: { ...one.operation, payload } as typeof one.operation } : one
}
