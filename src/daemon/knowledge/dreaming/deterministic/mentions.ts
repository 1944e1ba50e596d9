import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { EvidenceText, ExtractedOperation, KnownName } from '../reader.js'
import { operationsOf } from './found.js'
import { escaped, user } from './subject.js'

/** Entities linked with one memory in addition to those it states facts about. */
const maxMentions = 5

/** Links a memory with known entities whose names occur in it as whole words. */
export function mentionsIn(
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
