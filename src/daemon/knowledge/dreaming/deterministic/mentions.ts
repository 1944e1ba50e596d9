import { queryStopWords, weakQueryWords } from '../../../../store/index/words/analysis/stop-words.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { EvidencePiece, FoundOperation, KnownName } from '../reader.js'
import { operationsOf } from './found.js'
import { escaped, user } from './subject.js'

/** Entities that one memory is linked with beside those that it says something of. */
const maxMentions = 5

/** Links a memory with the entities that it names: what is known already, by a name that stands in it as a word. */
export function mentionsIn(
  piece: EvidencePiece,
  known: ReadonlyMap<string, KnownName>,
  found: readonly FoundOperation[],
): FoundOperation[] {
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

/** Words that say nothing by themselves: what is called so is meant only where it is written so. */
const plain: ReadonlySet<string> = new Set([...queryStopWords, ...weakQueryWords])

/** The first of the names of an entity that stands in a text as a whole word, as it is written there. */
function quoteOf(text: string, { name, aliases }: KnownName): string | undefined {
  for (const one of [name, ...aliases]) {
    const word = new RegExp(
      `(?<![\\p{L}\\p{N}])${escaped(one)}(?![\\p{L}\\p{N}])`,
      plain.has(nameKey(one)) ? 'u' : 'iu',
    )
    const [quote] = word.exec(text) ?? []
    if (quote !== undefined) return quote
  }
  return undefined
}
