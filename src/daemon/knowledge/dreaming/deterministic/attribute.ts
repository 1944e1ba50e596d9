import { nameKey } from '../../../ground/entities/name-key.js'
import type { Template } from './statement.js'
import { escaped, type Subject, subjectOf, user } from './subject.js'
import { isHead, valueIn } from './values.js'

const copula =
  /^(?:(the|our|my|its) )?((?:[\p{L}\p{N}./#_-]+ ){0,5}?[\p{L}\p{N}./#_-]+?)(?:'s ([\p{L}\p{N} -]+?))? (?:is|are) (?:currently |now )?(.+)$/iu
const ours = /^(\p{Lu}[\p{L}\p{N}.+#-]*(?: \p{Lu}[\p{L}\p{N}.+#-]*)?) is our (.+)$/u

/** `The staging URL is X`, `Postgres version is 15`, `the user's name is Sam`, `X is our tool for Y`. */
export const attribute: Template = {
  name: 'attribute',
  read: (sentence, setting) => {
    const own = ours.exec(sentence)
    if (own) return claim(setting.project, own[2] as string, own[1] as string, true)
    const found = copula.exec(sentence)
    if (!found) return []
    const [, article = '', phrase = '', of, told = ''] = found
    if (of !== undefined) {
      const owner = /^user$/iu.test(phrase) ? user : subjectOf(phrase, setting)
      return claim(owner, of, told)
    }
    const subject = article.toLowerCase() === 'my' ? user : setting.project
    return claim(subject, phrase, told)
  },
}

/**
 * `key: value` on a line of its own, if the key names a setting. In a conversation it may be from any pasted
 * log.
 */
export const keyValue: Template = {
  name: 'key-value',
  read: (sentence, setting, isLine) => {
    const found = /^([\p{L}][\p{L}\p{N} ./_-]{1,40}?):\s+(\S.{0,200})$/u.exec(sentence)
    if (!found || !isLine || setting.isSpoken) return []
    const [, key = '', told = ''] = found
    // Skips values that are sentences.
    if (/:\s/u.test(told) || (!told.includes(',') && told.split(/\s+/u).length > 6)) return []
    if (/^https?:\/\/\S+$/u.test(told) && !isHead(key))
      return setting.project
        ? [{ kind: 'claim', subject: setting.project, aspect: 'facts', claim: nameKey(key), value: told }]
        : []
    return claim(setting.project, key, told, false, true)
  },
}

function claim(
  subject: Subject | undefined,
  phrase: string,
  told: string,
  isProper = false,
  isList = false,
): ReturnType<Template['read']> {
  if (!subject || !isHead(phrase)) return []
  const slot = nameKey(phrase.replace(new RegExp(` (?:of|for) (?:the )?${escaped(subject.name)}$`, 'iu'), ''))
  const value = isProper ? told : valueIn(told, phrase, isList)
  return value === undefined ? [] : [{ kind: 'claim', subject, aspect: 'facts', claim: slot, value }]
}
