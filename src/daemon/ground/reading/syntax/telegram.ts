import { hasPartNoun, isFirstName, isTool } from '../words/names.js'

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
export const isPlural = (name: string): boolean => /s$/u.test(name) && !/ss$/u.test(name)

/** Keys of addresses that are nobody's own. */
export const noAddressee =
  /^(?:see|alternatives?|options?|examples?|ideas?|candidates?|links?|sources?|refs?|docs?|more|info|details?|references?|related|slides|video|blog|article|ticket|thread|demo|report|patch|diff|commit|build|url|pr|issue|discussion|paper|website|image|screenshot)\b/iu
/** Openings of declarations in code. */
export const declared = /^(?:const|let|var|val|export|set|type|final)\b/iu

const dropping =
  'killed|dropped|ditched|scrapped|removed|retired|axed|abandoned|decommissioned|threw out|kicked out|got rid of|said goodbye to'
const thing = '[\\p{L}\\p{N}][\\p{L}\\p{N}.+#-]*(?: [\\p{L}\\p{N}.+#-]+){0,2}?'
const since = '(?: (?:since|as of|in|on|from) ([\\p{L}\\d .-]{4,20}?))?'
const everything = "(?:(?:we(?:[’']re| are)?|everything(?:[’']s| is)?|all of it is|it[’']s|it is|now) )?"
const working = '(?:(?:use|using|run|running|moved|now) )?(?:(?:to|on|with|in) )?'
/** Ways to say what is gone, and what is there now. */
const successions: readonly RegExp[] = [
  new RegExp(
    `^(?:we )?(?:${dropping}) (?:the |our )?(${thing})${since}(?:[.,;:]| -| —| –) (?:and )?${everything}${working}(${thing}) (?:now|instead)(?=$|[:,;.( ])`,
    'iu',
  ),
  new RegExp(
    `^(?:the |our )?(${thing}) (?:is|are|was|were) (?:gone|dead|history|out|retired|dropped|switched off|shut down|decommissioned)${since}(?:[.,;:]| -| —| –) (?:and )?${everything}${working}(${thing}) (?:now|instead)(?=$|[:,;.( ])`,
    'iu',
  ),
  new RegExp(`^(?:the |our )?(${thing})() (?:out|is out), (${thing}) (?:is )?in(?=$|[:,;.(])`, 'iu'),
  new RegExp(`^(?:bye|goodbye|farewell) (${thing})(), (?:hello|hi|welcome) (${thing})(?=$|[:,;.(!])`, 'iu'),
]
const insteadOf = new RegExp(
  `^(${noun}): (${thing}) (?:instead of|rather than|replaces|replacing) (${thing})(?: (?:since|because|now|from)\\b.*)?(?=$|[,;.(])`,
  'iu',
)
const unsupported =
  /^(?:[Ww]e )?(?:[Dd]ropped|[Rr]emoved|[Ee]nded) (\p{Lu}[\p{L}\d. ]{1,30}?) support(?=$|[\s,;.])/u
/** `Postgres 12 -> 16 done on 2026-03-14`. */
const raised =
  /^(\p{L}[\p{L}\d.+#]*(?: \p{L}+)?) v?\d[\d.]* ?(?:->|→|=>) ?v?(\d[\d.]*)(?: (?:is |was )?(?:done|finished|live|rolled out|happened))?(?: (?:on|in) (\d{4}-\d\d(?:-\d\d)?))?(?=$|[,;.( ])/u
const renamed =
  /^(?:we )?renamed (?:the )?["“'`]?([\p{L}\d][\p{L}\d -]*?)["”'`]? (?:to|into) ["“'`]?([\p{L}\d][\p{L}\d-]*)["”'`]?(?=$|[\s,;.(])/iu
/** `Topics are named <team>.<entity>`. */
const patterned =
  /^(?:all |the |our )?([\p{L}][\p{L} -]{2,40}?) (?:is|are) (?:always )?(?:named|called|tagged|prefixed with|numbered)(?: like| as)? (`[^`]+`|(?=\S*[<{*])[\w<>{}*/.:-]+)(?=$|[.,;(])/iu
/** Words beside an arrow between two tools by which one took the place of the other. */
const changed =
  /cut ?over|migrat|switch|moved|done|since|as of|20\d\d|too (?:\p{L}+)|licen[cs]e|contract|because|nobody|expensive|cheaper|faster|costs?\b|price|eol|deprecated|unmaintained|dead\b/iu

/** `Jenkins is gone, everything is on Buildkite now`, `PagerDuty -> Opsgenie (cutover in May)`. */
export function replaced(text: string): string | undefined {
  if (/->|→|=>/u.test(text)) return arrowedChange(text)
  if (/instead of|rather than|replac/iu.test(text)) {
    const [, task = '', chosen = '', old = ''] = insteadOf.exec(text) ?? []
    const one = task === '' ? undefined : succession(old, undefined, chosen)
    if (one !== undefined && isPlainName(task) && isTechnology(old))
      return `${one}\nThe ${task} uses ${properTool(chosen)}`
  }
  // `Dropped Windows support in 0.9`
  const [, gone = ''] = unsupported.exec(text) ?? []
  if (gone !== '') return `We dropped support for ${gone}`
  const [, was = '', is = ''] = /renamed/iu.test(text) ? (renamed.exec(text) ?? []) : []
  if (was !== '' && isPlainName(was) && isPlainName(is)) return `${was} was renamed to ${is}`
  const [, named = '', pattern = ''] = /[<{*]/u.test(text) ? (patterned.exec(text) ?? []) : []
  if (named !== '' && isPlainName(named)) return `${named} naming scheme: \`${pattern.replaceAll('`', '')}\``
  // The long patterns are compiled with the first line that may have their form.
  if (!/\b(?:now|instead)\b| in(?=$|[:,;.(])|^(?:good)?bye|^farewell/iu.test(text)) return undefined
  const found = successions.map(form => form.exec(text)).find(Boolean)
  return found ? succession(found[1], found[2], found[3]) : undefined
}

/** `PagerDuty -> Opsgenie (since May)`, `Postgres 12 -> 16`. */
function arrowedChange(text: string): string | undefined {
  const arrowed =
    /^(?:[\p{L} -]{2,30}: )?([^<>=→():,;]{2,30}?) ?(?:->|→|=>) ?([^<>=→():,;]{2,30}?) ?(?:\(([^()]+)\)|[,;:] (.+))$/u.exec(
      text,
    )
  const reason = arrowed?.[3] ?? arrowed?.[4] ?? ''
  const [, tool = '', version = '', on = ''] = raised.exec(text) ?? []
  if (isToolAlone(tool)) return `We upgraded ${properTool(tool)} to ${version}${on === '' ? '' : ` on ${on}`}`
  if (!arrowed || !changed.test(reason)) return undefined
  const date = /\d{4}-\d\d(?:-\d\d)?|(?:\d{1,2} )?\p{Lu}\p{Ll}{2,8} 20\d\d/u.exec(reason)?.[0]
  return succession(arrowed[1], date, arrowed[2])
}

function succession(old = '', date: string | undefined, next = ''): string | undefined {
  const isNew = isTechnology(next)
  const isKnown = isTechnology(old) || hasPartNoun(old) || /^\p{Lu}/u.test(old)
  if (!isNew || !isKnown || pronoun.test(old) || isFirstName(old.split(' ')[0] ?? '')) return undefined
  const be = /[^s]s$/u.test(old) && !isTool(old) ? 'were' : 'was'
  return `${isTechnology(old) ? properTool(old) : `The ${old}`} ${be} replaced by ${properTool(next)}${date ? ` since ${date}` : ''}`
}

/** A listed technology, or a name of one or two words, perhaps with a version. */
export function isTechnology(value: string): boolean {
  return isToolAlone(value) || isBrand(value.replace(/ v?\d[\w.]*$/u, ''))
}
