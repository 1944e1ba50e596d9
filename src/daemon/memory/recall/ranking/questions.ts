import { talkShare } from './candidate-rows.js'
import type { ContentContext } from './step.js'
import { weights } from './weights.js'

const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟]*/gu

/**
 * Reply evidence: in a talk the row after a matching question holds the answer. Needs content, so it runs after
 * authorisation (recall.md 1.3.6); a question that was not loaded says nothing.
 *
 * @param own evidence that the channels gave; 0 for a row that is only next to a hit
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
 * Question evidence: a turn of a talk that only asks tells little. What it states beside the question counts in full.
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

/** @returns the share of a text's words that stand in sentences ending in a question mark, 0..1 */
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
 * Bracketed notes, such as what an attached image shows, are neither question nor statement. Found without a pattern: it
 * would read on from each bracket that nothing closes.
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
