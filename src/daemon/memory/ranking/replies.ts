import type { ContentContext } from './evidence.js'

const REPLY_WEIGHT = 0.25
/** The question may be followed by a bracketed note, such as what an attached image shows. */
const ENDS_AS_QUESTION = /[?？؟]\s*(?:\[[^\]]*\]\s*)?$/u

/**
 * Reply evidence: in a conversation the row after a matching question holds the answer. Needs content, so it runs
 * after authorisation (spec 1, 1.3.6); a question that was not loaded says nothing.
 *
 * @returns additions by memory id
 */
export function replyEvidence({ facts, own, contents }: Omit<ContentContext, 'query'>): Map<string, number> {
  const additions = new Map<string, number>()
  for (const id of contents.keys()) {
    const question = facts(id)?.previous
    const asked = question ? contents.get(question) : undefined
    const evidence = question ? (own.get(question) ?? 0) : 0
    if (asked && evidence > 0 && ENDS_AS_QUESTION.test(asked)) additions.set(id, REPLY_WEIGHT * evidence)
  }
  return additions
}
