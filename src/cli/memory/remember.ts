import type { Reply } from '../../contract/api.js'
import { countOf, privateNote } from '../../lib/text/count-of.js'
import { quotedForShell } from '../../lib/text/shell-words.js'
import { withoutSecrets } from '../../lib/text/without-secrets.js'
import type { Colors } from '../terminal/output.js'
import { shownId } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type RememberReply = Reply<'POST /api/memory/remember'>
type EmbeddingState = Reply<'GET /api/status'>['embedding']['state']

/** Length of the part of a text from which the query is formed. */
const longestBeginning = 20_000
/** Maximum length of the suggested query and of its words; longer words are not worth typing. */
const longestQuery = 60
const longestWord = 30

/**
 * Describes a saved memory: its id, its properties, how it can be found, and the next step.
 * @param kept scope and agent that a recall has to name to find it.
 * @param embedding state of the provider, for a memory without a vector.
 */
export function savedLines(
  reply: RememberReply,
  colors: Colors,
  kept: { scope?: string | undefined; agent?: string | undefined } = {},
  embedding?: EmbeddingState,
): string[] {
  const query = reply.contentSafety.contextEligible ? queryOf(reply.content) : ''
  const named = (['scope', 'agent'] as const).flatMap(name => {
    const value = kept[name]
    return value === undefined ? [] : [`--${name}`, quotedForShell(value)]
  })
  const facts = [
    colors.cyan(reply.type),
    `importance ${reply.importance.toFixed(2)}`,
    reply.pinned ? colors.yellow('pinned') : '',
    ...reply.tags
      .split(',')
      .filter(Boolean)
      .map(tag => `#${plainLine(tag)}`),
  ]
  return [
    `${colors.green(reply.deduped ? 'Already saved' : 'Saved')}  ${colors.bold(shownId(reply.id))}`,
    `  ${facts.filter(Boolean).join('  ')}`,
    `  ${colors.dim(findability(reply, embedding))}`,
    ...(privateNote(reply.privateParts) ? [`  ${colors.yellow(privateNote(reply.privateParts))}`] : []),
    ...(reply.unsearched ? [`  ${colors.yellow(unseen(reply.unsearched))}`] : []),
    ...(holdsSecret(reply) ? [`  ${colors.yellow(secretAdvice)}`] : []),
    ...(query ? [colors.dim(['Next: memory recall', `"${query}"`, ...named].join(' '))] : []),
  ]
}

const secretAdvice =
  'This looks like a credential, visible to everyone who recalls it. Forget it and store the value with memory secrets set'

/** Says which part of a long text no search sees. */
function unseen(characters: number): string {
  return `Search sees the first 64,000 characters, not the last ${characters.toLocaleString('en')}; memory documents add splits long texts`
}

function holdsSecret({ content }: RememberReply): boolean {
  const beginning = content.slice(0, longestBeginning)
  return withoutSecrets(beginning) !== beginning
}

/** Says how the memory is found. A vector that is only a moment away is not missing. */
function findability(
  { embedded, hints_written, contentSafety }: RememberReply,
  embedding: EmbeddingState | undefined,
): string {
  if (!contentSafety.contextEligible) {
    const reasons = contentSafety.reasons.join(', ')
    return `Saved, but excluded from recall: the text is ${contentSafety.status}${reasons ? ` (${reasons})` : ''}`
  }
  const hints = hints_written > 0 ? ` and ${countOf(hints_written, 'hint')}` : ''
  if (embedding === 'off') return `Found by keyword${hints}; search by meaning is off`
  if (embedding && ['failing', 'missing', 'downloading'].includes(embedding))
    return `Found by keyword${hints}, not yet by meaning: the model is ${embedding} (memory embedding status)`
  if (!embedded && embedding === undefined) return `Found by keyword${hints}`
  return `Found by keyword and meaning${hints && `, and by ${countOf(hints_written, 'hint')}`}`
}

/**
 * Forms a query from the text, safe inside double quotes in a shell and not a flag; empty if no word
 * qualifies.
 */
function queryOf(content: string): string {
  const words = plainLine(content.slice(0, longestBeginning))
    .replace(/["$`!\\]/g, '')
    .split(' ')
    .filter(word => /[\p{L}\p{N}]/u.test(word) && word.length <= longestWord)
    .slice(0, 5)
  while (words.join(' ').length > longestQuery) words.pop()
  return words.join(' ').replace(/^-+/u, '')
}
