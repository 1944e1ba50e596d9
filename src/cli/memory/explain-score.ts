import type { Reply } from '../../contract/api.js'
import { labelOf } from '../../lib/text/labels.js'
import { plainLine } from '../terminal/text.js'
import { matchedWords } from './highlight.js'

type RecallRow = Reply<'POST /api/memory/recall'>['results'][number]
type Explanation = NonNullable<RecallRow['explain']>
type Contribution = Explanation['contributions'][number]

const mostWords = 4
/** Semantic evidence from which a text means nearly the same as the question. */
const closeMeaning = 0.4

/** Phrases for a step that raised a score, and for one that lowered it. */
const phrases: Readonly<Record<string, readonly [raised: string, lowered: string]>> = {
  hints: ['matches its hints', 'matches its hints'],
  claims: ['names an entity of the question', 'names an entity of the question'],
  traversal: ['linked to an entity of the question', 'linked to an entity of the question'],
  time_words: ['fits the time in the question', 'does not fit the time in the question'],
  date: ['fits the date in the question', 'does not fit the date in the question'],
  author: ['by the author in the question', 'by another author'],
  session: ['from this session', 'from another session'],
  project: ['of this project', 'of another project'],
  standing: ['a rule, preference or decision', 'less lasting than a rule or decision'],
  judgement: ['rated helpful', 'rated wrong or unhelpful'],
  currentness: ['true at this time', 'outdated'],
  crowding: ['best of its document', 'from the same document as a better row'],
  ground: ['its code is unchanged', 'its code has changed'],
  rerank: ['raised by reranking', 'lowered by reranking'],
}

/** Explains a score in one sentence: `matches deploy and Friday; close in meaning; pinned`. */
export function explainScore(
  { explain, content, pinned }: Pick<RecallRow, 'explain' | 'content' | 'pinned'>,
  stems: ReadonlySet<string>,
): string {
  const parts = (explain?.contributions ?? []).map(one => phraseOf(one, content, stems))
  return [...new Set([...parts, pinned ? 'pinned' : ''])].filter(Boolean).join('; ')
}

/** Lists the numbers behind a score, one step per line. */
export function scoreNumbers({ contributions, formula, evidence }: Explanation): string[] {
  const steps = contributions.map(
    ({ step, effect, value }) =>
      `${effect === 'add' ? '+' : 'x'} ${value.toFixed(3)}  ${labelOf('rankingStep', plainLine(step))}`,
  )
  return [...steps, `= ${plainLine(formula)}, evidence ${evidence.toFixed(3)}`]
}

function phraseOf(
  { step, effect, value }: Contribution,
  content: string,
  stems: ReadonlySet<string>,
): string {
  const isRaised = value > (effect === 'add' ? 0 : 1)
  if (step === 'keyword') return wordsPhrase(matchedWords(plainLine(content), stems))
  if (step === 'vector') return value >= closeMeaning ? 'close in meaning' : 'loosely related in meaning'
  const known = Object.hasOwn(phrases, step) ? phrases[step] : undefined
  if (known) return known[isRaised ? 0 : 1]
  return `${isRaised ? 'raised' : 'lowered'} by ${labelOf('rankingStep', plainLine(step))}`
}

function wordsPhrase(words: readonly string[]): string {
  if (words.length === 0) return 'matches related words'
  const shown = words.slice(0, mostWords)
  if (words.length > mostWords)
    return `matches ${shown.join(', ')} and ${words.length - mostWords} more words`
  const last = shown.at(-1)
  return shown.length === 1 ? `matches ${last}` : `matches ${shown.slice(0, -1).join(', ')} and ${last}`
}
