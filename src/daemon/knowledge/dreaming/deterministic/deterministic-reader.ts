import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import { projectName } from '../pass/known-names.js'
import {
  type DreamReader,
  type EvidenceText,
  type ExtractedOperation,
  isBelieved,
  type KnownName,
} from '../reader.js'
import { attribute, keyValue } from './attribute.js'
import { decision, preference, rule } from './intent.js'
import { alias, owner } from './naming.js'
import { relation, replacement, upgrade } from './relation.js'
import { sentencesOf } from './sentences.js'
import { operationsOf, type Statement, type Template } from './statement.js'
import { escaped, type ReadingContext, user } from './subject.js'
import { withoutValidity } from './validity.js'

/** Tried in this order; the first template that matches a sentence wins. */
export const templates: readonly Template[] = [
  decision,
  preference,
  rule,
  replacement,
  upgrade,
  alias,
  owner,
  relation,
  attribute,
  keyValue,
]

/**
 * Extracts facts with rules instead of a model (knowledge.md#what-is-read). Precision comes before recall: a
 * sentence that no template matches is skipped.
 */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async ({ pieces, known, project, signal }) => {
    const pause = everyFewMs()
    const byKey = indexOf(known)
    const operations: ExtractedOperation[] = []
    for (const piece of pieces) {
      await pause()
      signal.throwIfAborted()
      operations.push(...readText(piece, byKey, project))
    }
    return { operations, failed: [], left: [] }
  },
}

/** In a longer text a single line means little, so its facts are only proposed. */
const storyLines = 8

/** Reads one text: statements first, then mentions of entities without a statement. */
function readText(
  piece: EvidenceText,
  known: ReadonlyMap<string, KnownName>,
  project: string | null,
): ExtractedOperation[] {
  if (!isBelieved(piece)) return []
  const setting: ReadingContext = {
    known,
    project: project === null ? undefined : (known.get(nameKey(projectName(project))) ?? projectOf(project)),
    at: piece.at,
    isSpoken: piece.sourceKind === 'transcript',
  }
  const isStory = piece.text.split('\n').length > storyLines
  const found = sentencesOf(piece.text).flatMap(({ quote, isLine }) => {
    const { rest, validity } = withoutValidity(quote, piece.at)
    const [by, statements] = firstOf(rest, setting, isLine)
    return statements.flatMap(statement => operationsOf(statement, { piece, quote, validity, by, isStory }))
  })
  return [...found, ...(piece.sourceKind === 'memory' ? mentionsIn(piece, known, found) : [])]
}

function firstOf(sentence: string, setting: ReadingContext, isLine: boolean): [string, readonly Statement[]] {
  for (const template of templates) {
    const statements = template.read(sentence, setting, isLine)
    if (statements.length > 0) return [template.name, statements]
  }
  return ['none', []]
}

function projectOf(project: string) {
  return { name: projectName(project), type: 'project' }
}

function indexOf(known: readonly KnownName[]): Map<string, KnownName> {
  const byKey = new Map<string, KnownName>()
  for (const one of known)
    for (const name of [one.name, ...one.aliases]) {
      const key = nameKey(name)
      if (!byKey.has(key)) byKey.set(key, one)
    }
  return byKey
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
    .flatMap(one => {
      const quote = quoteOf(piece.text, one)
      if (quote === undefined) return []
      const subject = { name: one.name, type: one.type }
      return operationsOf({ kind: 'mention', subject }, { piece, quote, validity: {}, by: 'mention' })
    })
    .slice(0, maxMentions)
}

/** Common words: an entity with such a name is only matched in the same case. */
const commonWords: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])

/** Returns the first name of an entity that occurs in a text as a whole word, as written there. */
function quoteOf(text: string, { name, aliases }: KnownName): string | undefined {
  for (const one of [name, ...aliases]) {
    const word = new RegExp(
      `(?<![\\p{L}\\p{N}])${escaped(one)}(?![\\p{L}\\p{N}])`,
      commonWords.has(nameKey(one)) ? 'u' : 'iu',
    )
    const [quote] = word.exec(text) ?? []
    if (quote !== undefined) return quote
  }
  return undefined
}
