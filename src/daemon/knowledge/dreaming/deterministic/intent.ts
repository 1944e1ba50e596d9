import { nameKey } from '../../../ground/entities/name-key.js'
import type { Template } from './statement.js'
import { slotOf } from './statement.js'
import { type ReadingContext, type Subject, user } from './subject.js'

const decided =
  /^we(?: have|'ve)? (?:just |finally )?(?:(?:decided|agreed) (?:to |that |on |against )?|chose (?:to )?|settled on |are going with |will (?:use|go with) )(.+)$/iu
const headed = /^decision:\s+(.+)$/iu

/** `We decided to use X`, `we chose X over Y`, `Decision: X`: the decision, quoted. */
export const decision: Template = {
  name: 'decision',
  read: (sentence, { project }) => {
    const found = decided.exec(sentence) ?? headed.exec(sentence)
    if (!found || !project) return []
    const claim = slotOf(found[1] as string)
    const value = headed.test(sentence) ? (found[1] as string) : sentence
    return claim === '' ? [] : [{ kind: 'claim', subject: project, aspect: 'decisions', claim, value }]
  },
}

const preferred =
  /^(the user|user|i|\p{Lu}[\p{L}-]+)(?: \p{Lu}[\p{L}-]+)? (?:strongly |really |usually |generally )?(prefers?|likes?|wants?) (?!to\b|it\b|that\b|this\b|me\b|you\b)(.+)$/iu
const pronouns =
  /^(?:it|she|he|they|we|you|this|that|these|those|who|what|everybody|everyone|nobody|somebody|someone|people|users)$/iu
const over = /^(.+?) (?:over|to|rather than|instead of) (.+)$/iu

/**
 * `The user prefers X over Y`, `Marta likes X`. A wish (`wants`) may be temporary, so it is only proposed.
 */
export const preference: Template = {
  name: 'preference',
  read: (sentence, setting) => {
    const found = preferred.exec(sentence)
    if (!found) return []
    const [, who = '', verb = '', what = ''] = found
    const subject = personOf(who, setting)
    if (!subject || pronouns.test(who)) return []
    const isWish = /^wants?$/iu.test(verb)
    // In a conversation a wish of the user is the current task.
    if (isWish && setting.isSpoken && subject === user) return []
    const pair = over.exec(what)
    // Both orders share one slot, so that the opposite preference is recognised as a contradiction.
    const claim = pair
      ? [pair[1], pair[2]]
          .map(one => slotOf(one as string))
          .sort()
          .join(' or ')
      : slotOf(what)
    const isSure = subject === user || !isWish
    return claim === '' ? [] : [{ kind: 'claim', subject, aspect: 'preferences', claim, value: what, isSure }]
  },
}

function personOf(who: string, { known }: ReadingContext): Subject | undefined {
  if (/^(?:the user|user|i)$/iu.test(who)) return user
  if (!/^\p{Lu}/u.test(who)) return undefined
  const found = known.get(nameKey(who))
  if (found) return ['person', 'agent'].includes(found.type) ? found : undefined
  return { name: who, type: 'person' }
}

/** Temporary restrictions are not rules. */
const passing =
  /\b(?:before|until|till|today|tomorrow|tonight|for now|this (?:week|month|time)|yet|meanwhile|during the)\b/iu

/** Verbs of rules. */
const ruleVerbs =
  'run|commit|push|use|add|write|keep|put|call|deploy|merge|delete|store|log|check|test|ask|update|set|create|include|start|stop|open|close|send|change|touch|edit|import|install|expose|skip|force|squash|rebase|review|format|lint|name|avoid|prefer|return|throw|catch|rely|trust|hardcode|hard-code|cache|mock|sign|encrypt|pin|tag|bump|raise|release|publish|drop|disable|enable|break|modify|mention|assume|build|share|print|expect'
/** References to another sentence: `put them there` is not a rule by itself. */
const elsewhere = /^\S+(?: \S+)? (?:it|them|this|that|these|those|him|her|here|there)\b/iu
const imperative = new RegExp(`^(?:please )?(never|always|do not|don't|don’t) ((?:${ruleVerbs})\\b.*)$`, 'iu')
const obliged = new RegExp(
  `^(\\p{L}[\\p{L}\\p{N} _-]{1,40}?) must (not |never |always )?(be [\\p{L}-]+(?:ed|en|t|d)\\b.*|(?:${ruleVerbs})\\b.*)$`,
  'iu',
)

/** `Never commit to main`, `Prices must be stored in cents`: rules of the project. */
export const rule: Template = {
  name: 'rule',
  read: (sentence, { project, isSpoken }) => {
    const ordered = imperative.exec(sentence)
    // In a conversation a prohibition may only concern the current task.
    if (ordered && isSpoken && !/^(?:never|always)$/iu.test(ordered[1] as string)) return []
    if (ordered && elsewhere.test(ordered[2] as string)) return []
    const owed = ordered ? null : obliged.exec(sentence)
    if (!project || (!ordered && !owed)) return []
    if (owed && /^(?:it|you|he|she|they|we|i|there|this|that|these|those)\b/iu.test(owed[1] as string))
      return []
    const claim = ordered ? slotOf(ordered[2] as string) : slotOf(`${owed?.[1]} ${owed?.[3]}`)
    const said = {
      aspect: 'rules',
      claim,
      value: sentence.replace(/^please /iu, ''),
      isConstraint: true,
      isSure: !passing.test(sentence),
    }
    return [{ kind: 'claim', subject: project, ...said }]
  },
}
