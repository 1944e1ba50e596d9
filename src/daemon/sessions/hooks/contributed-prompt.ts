import { harmless } from '../../ground/text/envelope.js'
import { keyOf, type PromptContribution } from '../../platform/plugins/contributions.js'
import { stableSystemPrompt } from './stable-prompt.js'

export interface StablePrompt {
  text: string
  /** Contributions that are left out for want of room. */
  omitted: string[]
}

const separator = '\n\n'
/** Contributions of plugins may have this part of a session's budget. */
const budgetShare = 0.25

/**
 * What every session is told, with what plugins add before and behind it (plugins.md 4).
 * @param contributions in their order; @param budget of the whole context, in characters
 */
export function stablePrompt(contributions: readonly PromptContribution[], budget: number): StablePrompt {
  const taken: PromptContribution[] = []
  const omitted: string[] = []
  let room = budget * budgetShare
  for (const one of contributions) {
    const cost = one.content.length + separator.length
    if (cost > room) omitted.push(keyOf(one))
    else {
      taken.push(one)
      room -= cost
    }
  }
  const texts = (wanted: PromptContribution['mode']) =>
    taken.filter(({ mode }) => mode === wanted).map(({ content }) => harmless(content))
  return { text: [...texts('prepend'), stableSystemPrompt, ...texts('append')].join(separator), omitted }
}
