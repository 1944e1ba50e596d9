import { nameKey } from '../../../ground/entities/name-key.js'
import type { Template } from './statement.js'
import { type ReadingContext, type Subject, subjectOf } from './subject.js'

const person = "(\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+)?)"
const thing = '(?:the |our )?([\\p{L}\\p{N}_-]+(?: [\\p{L}\\p{N}_-]+){0,2})'
const owned = new RegExp(`^${thing} (?:is|are) (?:owned|maintained) by ${person}(?:,.*)?$`, 'u')
const owns = new RegExp(`^${person} (?:owns|maintains) ${thing}(?:,.*| and .*)?$`, 'u')
const ownerOf = new RegExp(`^${person} is the (?:owner|maintainer) of ${thing}(?:,.*)?$`, 'u')

/** `X is owned by Ana`, `Ana maintains X`, `Ana is the owner of X`. */
export const owner: Template = {
  name: 'owner',
  read: (sentence, setting) => {
    const told = owned.exec(lowerArticle(sentence))
    const [who, what] = told
      ? [told[2], told[1]]
      : (owns.exec(sentence) ?? ownerOf.exec(sentence) ?? []).slice(1, 3)
    if (!who || !what || /^(?:It|She|He|They|We|You|This|That|Who|Nobody|Everyone)$/u.test(who)) return []
    // Skips enumerations of several things.
    if (/\band\b/iu.test(what)) return []
    const subject: Subject = subjectOf(`the ${what}`, setting) ?? { name: what, type: 'component' }
    return [{ kind: 'claim', subject, aspect: 'people', claim: 'owner', value: who }]
  },
}

const name = '([\\p{L}\\p{N}][\\p{L}\\p{N}.+#_-]*(?: [\\p{L}\\p{N}][\\p{L}\\p{N}.+#_-]*)?)'
const known = new RegExp(
  `^(?:The |the )?${name}(?:,| \\()\\s*(?:also known as|also called|aka|a\\.k\\.a\\.) ${name}[,)]?(?:[ ,.)]|$)`,
  'u',
)
const short = new RegExp(
  `^${name} (?:is short for|stands for|is an alias (?:of|for)|means the same as) ${name}$`,
  'u',
)

/** `X, also known as Y`, `Y is short for X`. */
export const alias: Template = {
  name: 'alias',
  read: (sentence, setting) => {
    const first = known.exec(sentence)
    const second = first ? null : short.exec(sentence)
    const [of, other] = first ? [first[1], first[2]] : [second?.[2], second?.[1]]
    if (!of || !other || nameKey(of) === nameKey(other)) return []
    const subject = subjectOfName(of, setting)
    return subject ? [{ kind: 'alias', subject, alias: other }] : []
  },
}

/** Returns an entity if the name is known or looks like a proper name. */
function subjectOfName(text: string, { known }: ReadingContext): Subject | undefined {
  const found = known.get(nameKey(text))
  if (found) return found
  return /^\p{Lu}|[-_.]|\d/u.test(text) ? { name: text, type: 'concept' } : undefined
}

function lowerArticle(sentence: string): string {
  return sentence.replace(/^(?:The|Our) /u, article => article.toLowerCase())
}
