import { isFirstName, isTool } from '../words/names.js'

/** Words by which a line is a sentence rather than a telegram. */
export const finite =
  /\b(?:is|are|was|were|be|has|have|had|will|would|must|can|cannot|could|should|may|might|does|do|did|if|when|because|that|which|who)\b|n['’]t\b/iu
export const noun = '[\\p{L}\\p{N}][\\p{L}\\p{N}._/-]*(?: [\\p{L}\\p{N}][\\p{L}\\p{N}._/-]*){0,3}'
export const pronoun =
  /^(?:we|i|you|he|she|they|it|this|that|these|those|who|nobody|everyone|not?|never|always|only|also|already)\b/iu

/** True for a name of a few words without a verb. */
export function isPlainName(name: string): boolean {
  return new RegExp(`^(?:the )?${noun}$`, 'u').test(name) && !pronoun.test(name) && !finite.test(name)
}

/** True for a technology, perhaps with its version: `Postgres 16`, `kafka`. */
export function isToolAlone(value: string): boolean {
  const [, name = ''] = /^(.+?)(?: v?\d[\w.]*)?$/u.exec(value) ?? []
  return isTool(name) || isTool(capital(name)) || (versioned.test(value) && !numbered.test(value))
}

const versioned = /^\p{Lu}[\p{L}\d]+ v?\d{1,3}(?:\.\d+){0,3}$/u
/** Things that are counted: `Phase 2`. */
const numbered =
  /^(?:phase|step|level|version|sprint|room|part|stage|tier|week|day|plan|option|team|chapter|section|table|figure|page|line|port|rev|revision|unit|slot|channel|group|zone|node|q|item|case|type|class)\b/iu

/** A technology as its makers write it. */
export function properTool(value: string): string {
  return /^(?=\p{Ll}*[aeiou])\p{Ll}+\b/u.test(value) ? capital(value) : value
}

/** The text with a capital letter first. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** True for one or two capitalised words that are nobody's name. */
export const isBrand = (name: string): boolean =>
  /^\p{Lu}[\p{L}\d]+(?: \p{Lu}[\p{L}\d]+)?$/u.test(name) && !isFirstName(name.split(' ')[0] ?? '')

/** A place in the cloud. */
export const region = /^(?:[a-z]{2,12}-)+[a-z]*\d[a-z]?$/u
export const address = /^(?:(?:https?|s3|gs):\/\/|~?\/)\S+$|^[\w-]+(?:\.[\w-]+){2,}(?::\d+)?$/u
/** Roles that people have for something. */
export const held =
  /(?:^| )(?:owner|lead|contact|maintainer|author|reviewer|admin|manager|deputy|on[- ]call)s?$/iu

/** True for a plural. */
export const isOf = (name: string): boolean => /s$/u.test(name) && !/ss$/u.test(name)

/** Keys of addresses that are nobody's own. */
export const noAddressee =
  /^(?:see|alternatives?|options?|examples?|ideas?|candidates?|links?|sources?|refs?|docs?|more|info|details?|references?|related|slides|video|blog|article|ticket|thread|demo|report|patch|diff|commit|build|url|pr|issue|discussion|paper|website|image|screenshot)\b/iu
/** Openings of declarations in code. */
export const declared = /^(?:const|let|var|val|export|set|type|final)\b/iu
