import type { Reply } from '../../contract/api.js'
import { countOf } from '../../lib/count-of.js'
import type { Colors } from '../output.js'
import { plainLine } from '../text.js'

type RememberReply = Reply<'POST /api/memory/remember'>

/** What remember says: the id, what was made of the text, how it can be found, and what to do next. */
export function savedLines(reply: RememberReply, colors: Colors): string[] {
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
    colors.dim(`Next: memory recall "${firstWords(reply.content)}"`),
  ]
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

/** Enough of the text to find it again, safe inside double quotes of a shell. */
function firstWords(content: string): string {
  return plainLine(content)
    .replace(/["$`!\\]/g, '')
    .split(' ')
    .slice(0, 5)
    .join(' ')
}
