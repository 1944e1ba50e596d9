import { talkShare } from './candidate-rows.js'
import type { ContentContext } from './step.js'
import { weights } from './weights.js'

const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟]*/gu

/**
 * Reply evidence: in a conversation, the row after a matching question contains the answer. Needs content, so
 * it runs after authorisation (recall.md 1.3.6); a question that was not loaded has no effect.
 *
 * @param own evidence from channels; 0 for a row that is only next to a hit
 * @returns additions by memory id
 */
export function replyEvidence(
  { facts, contents }: Pick<ContentContext, 'facts' | 'contents'>,
  own: (id: string) => number,
): Map<string, number> {
  const additions = new Map<string, number>()
  for (const id of contents.keys()) {
    const question = facts(id)?.previous
    const asked = question ? contents.get(question) : undefined
    const evidence = question ? own(question) : 0
    const share = asked && evidence > 0 ? questionShare(asked) : 0
    const value = weights.replies * talkShare(facts(id)) * share * evidence
    if (value > 0) additions.set(id, value)
  }
  return additions
}

/**
 * Question evidence: a turn that only asks is damped; statements beside the question count fully.
 *
 * @returns factors by memory id
 */
export function questionEvidence({
  facts,
  contents,
}: Pick<ContentContext, 'facts' | 'contents'>): Map<string, number> {
  const factors = new Map<string, number>()
  for (const [id, content] of contents) {
    const loss = weights.questions * talkShare(facts(id)) * questionShare(content)
    if (loss > 0) factors.set(id, 1 - loss)
  }
  return factors
}

/** @returns the share of a text's words in sentences that end with a question mark, 0..1 */
export function questionShare(text: string): number {
  if (!/[?？؟]/.test(text)) return 0
  let asking = 0
  let words = 0
  for (const [sentence] of withoutNotes(text).matchAll(SENTENCE)) {
    const count = sentence.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    words += count
    if (/[?？؟]/.test(sentence)) asking += count
  }
  return words > 0 ? asking / words : 0
}

/**
 * Removes bracketed notes, such as descriptions of images, which are neither question nor statement. No
 * pattern here: it would rescan the rest from each unclosed bracket.
 */
function withoutNotes(text: string): string {
  const parts: string[] = []
  for (let start = 0; ; ) {
    const opens = text.indexOf('[', start)
    const closes = opens < 0 ? -1 : text.indexOf(']', opens)
    if (closes < 0) return [...parts, text.slice(start)].join(' ')
    parts.push(text.slice(start, opens))
    start = closes + 1
  }
}
