import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/text/count-of.js'
import { quotedForShell } from '../../lib/text/quoted-for-shell.js'
import { withoutSecrets } from '../../lib/text/without-secrets.js'
import type { Colors } from '../terminal/output.js'
import { plainLine } from '../terminal/text.js'

type RememberReply = Reply<'POST /api/memory/remember'>

/** Characters of a text among which words are looked for. */
const longestBeginning = 20_000
/** Characters of the query that is proposed, and of a word of it: a longer one is no word to type. */
const longestQuery = 60
const longestWord = 30

/**
 * What remember says: the id, what was made of the text, how it can be found, and what to do next.
 * @param kept what a recall has to name to find it.
 */
export function savedLines(
  reply: RememberReply,
  colors: Colors,
  kept: { scope?: string | undefined; agent?: string | undefined } = {},
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
    `${colors.green(reply.deduped ? 'Already known' : 'Saved')}  ${colors.bold(reply.id)}`,
    `  ${facts.filter(Boolean).join('  ')}`,
    `  ${colors.dim(findability(reply))}`,
    ...(holdsSecret(reply) ? [`  ${colors.yellow(secretAdvice)}`] : []),
    ...(query ? [colors.dim(['Next: memory recall', `"${query}"`, ...named].join(' '))] : []),
  ]
}

const secretAdvice =
  'It holds what looks like a credential, which whoever recalls it reads: forget it, and keep the value with memory secrets set'

function holdsSecret({ content }: RememberReply): boolean {
  const beginning = content.slice(0, longestBeginning)
  return withoutSecrets(beginning) !== beginning
}

function findability({ embedded, hints_written, contentSafety }: RememberReply): string {
  if (!contentSafety.contextEligible) {
    const reasons = contentSafety.reasons.join(', ')
    return `Kept, but left out of recall: the text is ${contentSafety.status}${reasons ? ` (${reasons})` : ''}`
  }
  const hints = hints_written > 0 ? ` and ${countOf(hints_written, 'hint')}` : ''
  return embedded
    ? `Found by words and meaning${hints && `, ${countOf(hints_written, 'hint')} too`}`
    : `Found by words${hints}, not by meaning`
}

/**
 * Enough of the text to find it again, safe inside double quotes of a shell and no flag; empty where no word of it is fit
 * for that.
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
