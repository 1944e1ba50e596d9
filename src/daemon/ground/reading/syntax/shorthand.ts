import { hasPartNoun, isFirstName, isTool } from '../words/names.js'
import { isHead, valueIn } from '../words/values.js'
import { partsOfList } from './lists.js'
import {
  capital,
  declared,
  finite,
  isBrand,
  isPlainName,
  isTechnology,
  isToolAlone,
  noun,
  pronoun,
  properTool,
  replaced,
} from './telegram.js'
import { propertiesOf, topicParts } from './topic-parts.js'

/** Openings without content. */
const leadIn =
  /^(?:(?:meeting|stand-?up|retro|weekly|sync|planning|call)(?: notes?)?(?: (?:with )?[\p{L}\d./-]{2,12}){0,2}:|note to self|oh(?: and)?|hey|hi|ok(?:ay)?|btw|by the way|fwiw|ftr|jfyi|psa|for the record|just so you know|one more thing|(?:quick|small|short) (?:note|update|reminder|heads[- ]up)|correction|heads[- ]up|fyi|(?:please|pl[sz])(?=,? no \p{Ll}))(?:,|:|!|\.{3}|…| -| –| —)?\s+(?:that\s+)?(?=\S)/iu

/** Returns how long the opening of a line is that says nothing: `btw`, `just so you know,`. */
export function leadInLength(text: string): number {
  return leadIn.exec(text)?.[0].length ?? 0
}

const participles =
  'written|built|hosted|deployed|rendered|powered|stored|kept|shipped|sent|served|generated|maintained|owned|managed|handled|backed|cached|resized|compiled|packaged|published|tracked|monitored|scheduled|encrypted|signed|driven|implemented|collected|exported|mirrored|replicated|translated|tested|exposed|compressed|protected'
const prepositions = 'by|in|on|with|to|at|from|via|as|through|behind'
const state =
  /^([^:,;]{2,40}): ((?:kept|retained|stored|cached|archived|rotated|deleted|purged|updated|refreshed|rebuilt|limited|capped) (?:for |after |every |at |to |daily|weekly|nightly|hourly|\d).{0,80})$/iu
const told = new RegExp(`^(${noun})(?: [-–—]|:)? ((?:${participles}) (?:${prepositions}) .{2,160})$`, 'iu')
const opening = new RegExp(`^(?:${participles}) by `, 'iu')
const aside = new RegExp(
  `^(${noun}), ((?:${participles}) (?:${prepositions}) [^,]{2,60}), (\\p{Ll}+s .{2,160})$`,
  'iu',
)
/** States of things in one word, where a clause beside `while` is a contrast rather than a time. */
const contrasted = new RegExp(
  `\\b(?:is|are) (?:${participles}) (?:${prepositions})\\b|\\b(?:owns|uses|runs on|lives in|maintains|leads|handles|looks after|depends on|listens on|is on|are on)\\b`,
  'iu',
)

/**
 * Writes a line in the style of a telegram as sentences: `billing -> Postgres 16, not MySQL`, `Backups kept
 * in R2`. Undefined for other lines.
 * @param isAlone `Maintained by Ann` is said of the project if the text says nothing else
 */
export function fullSentences(line: string, isAlone: boolean): string | undefined {
  const text = line.replace(/(?<![\s.!])[\s.!]+$/u, '')
  return (
    equations(text) ??
    bounded(text) ??
    noLonger(text) ??
    replaced(text) ??
    propertiesOf(text) ??
    (isAlone ? ofProject(text) : undefined) ??
    participle(text) ??
    contrast(text) ??
    placed(text) ??
    doneBy(text) ??
    usedAs(text) ??
    preferred(text) ??
    role(text) ??
    limit(text) ??
    fields(text) ??
    fieldsOf(text) ??
    amountOf(text) ??
    owned(text) ??
    mixed(text) ??
    reached(text) ??
    identifiers(text) ??
    partsOfList(text)
  )
}

const arrow = /^([^<>=→]{2,40}?) ?(?:->|→|=>|=) ?([^<>=→]{2,60})$/u

/** `auth -> Keycloak 24`, `CRM = HubSpot, wiki = Notion`. */
function equations(text: string): string | undefined {
  if (!/->|→|=>| = /u.test(text) || declared.test(text)) return undefined
  const parts = text.split(/[,;] (?=[^,;]{2,40}(?:->|→|=| = ))/u)
  // `Newsletter = Brevo, wiki = Outline`
  const areNames = parts.length > 1 && parts.every(part => / = /u.test(part))
  const sentences = parts.map(part => {
    const [, left = '', right = ''] = arrow.exec(part) ?? []
    const name = left.replace(/(?<!\s)\s+$/u, '')
    const value = right.replace(
      /,? (?:not|instead of|rather than) .*$|,? \((?:was|not|formerly) [^)]*\)$/iu,
      '',
    )
    const isNamed = areNames && /^\p{Lu}[\p{L}\d]+(?: \p{Lu}[\p{L}\d]+)?$/u.test(value) && !isFirstName(value)
    const tools = value.split(/ (?:\+|&|and) /u)
    const isTold =
      isPlainName(name) &&
      !isTool(name) &&
      ((isToolAlone(tools[0] ?? '') && tools.every(isTechnology)) || isNamed)
    return isTold
      ? `the ${name.replace(/^the /u, '')} ${/s$/u.test(name) ? 'use' : 'uses'} ${tools.map(properTool).join(' and ')}`
      : ''
  })
  return sentences.every(Boolean) ? sentences.join('. ') : undefined
}

/** `Uploads are max. 20 MB`, `the API is rate limited to 60 calls a minute`. */
function bounded(text: string): string | undefined {
  const [, of = '', verb = '', amount = ''] =
    /^([^,;:]{2,50}?) (is|are) (?:rate[- ]limited to|max\.?|maximum|maximal) (\d[^,;:]{0,40}?)(?: (?:big|long|wide|high|large|deep))?$/iu.exec(
      text,
    ) ?? []
  return of === '' || finite.test(of) ? undefined : `${of} ${verb} limited to ${amount}`
}

/** `CI is no longer on Jenkins, now GitHub Actions`, `no longer Redis, now Valkey`. */
function noLonger(text: string): string | undefined {
  const [, of = '', before = '', now = ''] =
    /^(?:(.{2,40}?) )?(?:(?:is|are|runs?|uses?|live|lives) )?no longer (?:(?:on|in|with|use|uses|using|runs? on) )?([\p{L}\p{N}][\p{L}\p{N}.+# -]{1,30}?)[,;]? (?:but |and )?(?:now (?:it |they )?(?:(?:is|are|runs?|uses?) )?|it['’]s |it is |they are )(?:(?:on|in|with) )?([\p{L}\p{N}][\p{L}\p{N}.+# -]{1,30}?)(?: now)?$/iu.exec(
      text,
    ) ?? []
  if (!isToolAlone(before) || !isToolAlone(now)) return undefined
  const subject = of === '' || /^(?:we|i)$/iu.test(of) ? 'We' : of
  return `${subject} moved from ${properTool(before)} to ${properTool(now)}`
}

/** `Maintained by Ann`. */
function ofProject(text: string): string | undefined {
  const isTold = opening.test(text) && !finite.test(text)
  return isTold ? `This project is ${text.charAt(0).toLowerCase()}${text.slice(1)}` : undefined
}

/** `Thumbnails - rendered by sharp, stored in R2`; `the importer, written in Go, reads from SFTP`. */
function participle(text: string): string | undefined {
  const [, of = '', made = '', does = ''] = aside.exec(text) ?? []
  if (of !== '' && !pronoun.test(of)) return `${of} is ${made}. ${of} ${does}`
  const [, subject = '', rest = ''] = state.exec(text) ?? told.exec(text) ?? []
  if (subject === '' || pronoun.test(subject) || finite.test(text)) return undefined
  // `Ann deployed to Fly`: somebody did it once.
  const isName = /^\p{Lu}\p{Ll}+$/u.test(subject) && !hasPartNoun(subject) && !/s$/u.test(subject)
  if (isName && /^(?:deployed|shipped|published|moved)/iu.test(rest)) return undefined
  const verb = /s$/u.test(subject) ? 'are' : 'is'
  const parts = rest.split(new RegExp(`(?:,| and|,? but) (?=(?:${participles}) (?:${prepositions}) )`, 'iu'))
  return parts.map(part => `${subject} ${verb} ${part}`).join('. ')
}

/** `The app is written in Dart while the API is written in Elixir`: two statements. */
function contrast(text: string): string | undefined {
  const [left = '', right = '', ...more] = text.split(/,? while /u)
  const isBoth = contrasted.test(left) && contrasted.test(right) && !/\bnot\b|ing\b|n['’]t\b/iu.test(text)
  return isBoth && more.length === 0 && !pronoun.test(right) ? `${left}. ${capital(right)}` : undefined
}

/** `API gateway on Kong, workers on Celery`. */
function placed(text: string): string | undefined {
  const sentences = text.split(/, /u).map(part => {
    const [, name = '', how = '', tool = ''] = /^(.{2,40}?) (on|via) (.{2,40})$/u.exec(part) ?? []
    const isPart = hasPartNoun(name.replace(/s$/u, '')) || (how === 'via' && /^\p{L}+s$/u.test(name))
    if (!isPart || !isPlainName(name) || !isToolAlone(tool)) return ''
    return `${name} ${how === 'on' ? 'runs on' : 'uses'} ${properTool(tool)}`
  })
  return sentences.every(Boolean) ? sentences.join('. ') : undefined
}

/** `Payments by Adyen, gift cards by an in-house service called kado`: what does each. */
function doneBy(text: string): string | undefined {
  if (finite.test(text)) return undefined
  const parts = text.split(/, (?:and )?/u)
  const sentences = parts.map(part => {
    const [, name = '', tool = ''] = /^(\p{L}[\p{L} -]{1,39}?) by (\p{L}.{1,50})$/u.exec(part) ?? []
    const isCalled = /^an? (?:[\p{L}-]+ ){1,3}called [\p{L}\d-]+$/u.test(tool)
    if (name === '' || !isPlainName(name) || !(isCalled || isToolAlone(tool) || isBrand(tool))) return ''
    return `${name} ${/s$/u.test(name) ? 'are' : 'is'} handled by ${isCalled ? tool : properTool(tool)}`
  })
  return parts.length > 1 && sentences.every(Boolean) ? sentences.join('. ') : undefined
}

/** `We use Keycloak as identity provider and Kong as API gateway`. */
function usedAs(text: string): string | undefined {
  const [, subject = '', told = ''] = /^(\p{L}[^,;:]{0,40}?) uses? ([^;:]{8,160})$/u.exec(text) ?? []
  if (subject === '' || finite.test(text) || !/ as /u.test(told)) return undefined
  const sentences = told.split(/, and |, | and (?=\p{Lu})/u).map(part => {
    const [, name = '', purpose = ''] =
      /^(\p{Lu}.{1,40}?) as (?:(?:the|our|an?) )?(\p{L}.{2,40})$/u.exec(part) ?? []
    if (purpose === '' || !isPlainName(purpose) || !(isToolAlone(name) || isBrand(name))) return ''
    return `${subject} ${/^(?:we|i)$|s$/iu.test(subject) ? 'use' : 'uses'} ${name} as the ${purpose}`
  })
  return sentences.every(Boolean) ? sentences.join('. ') : undefined
}

/** `Tabs, not spaces`: what somebody likes better. */
function preferred(text: string): string | undefined {
  if (!/ (?:not|over|rather than|instead of) /iu.test(text)) return undefined
  const [, one = '', other = ''] =
    /^(\p{L}{3,}(?: \p{L}{3,})?),? (?:not|over|rather than|instead of) (\p{L}{3,}(?: \p{L}{3,})?)(?=$|[.!;(])/iu.exec(
      text,
    ) ?? []
  const isTold = one !== '' && [one, other].every(name => isPlainName(name) && !isToolAlone(name))
  return isTold && /s$/u.test(one) ? `We prefer ${one.toLowerCase()} over ${other}` : undefined
}

/** `owner billing: Kim`, `billing owner = Kim`. */
function role(text: string): string | undefined {
  const [, title, of, who] =
    /^(owner|lead|maintainer|contact) (\p{L}[\p{L}\d_-]+): (\S.{1,60})$/iu.exec(text) ?? []
  if (title && !/^(?:is|of|for|at)$/iu.test(of ?? '')) return `${capital(title)} of ${of}: ${who}`
  const [, part, held, name] =
    /^(\p{L}[\p{L}\d_-]+) (owner|lead|maintainer|contact) = (\p{Lu}\S+(?: \p{Lu}\S+)?)$/u.exec(text) ?? []
  return part && held ? `${capital(held)} of ${part}: ${name}` : undefined
}

/** `rate limit 50 rps per key`. */
function limit(text: string): string | undefined {
  const [, name = '', amount = ''] =
    /^((?:\p{L}+ ){0,3}(?:limit|timeout|quota|budget|retention|ttl)) (~?\d[^,;()]{0,60}?)(?:,? ?\(.*|[,;] .*)?$/iu.exec(
      text,
    ) ?? []
  return name !== '' && !finite.test(text) && !pronoun.test(name) ? `${name}: ${amount}` : undefined
}

const field =
  /^((?:\p{L}[\p{L}\d-]* ){1,4})((?:https?:\/\/|[#@~/`]|v?\d|\d|[<>≤≥]|\p{Ll}[\w-]*[.:/]\S*\w)\S*(?: [\p{L}%/]{1,10}){0,2})$/u
const often = /^((?:\p{L}[\p{L}\d-]* ){0,2}\p{L}[\p{L}\d-]*) (every \d.{0,20}|every \p{L}{3,10})$/u
const isAmount = (text: string): boolean =>
  /^\S+ (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|bytes|percent|characters|lines)\b/u.test(text)
const measures =
  /(?:^| )(?:rate|speed|distance|length|width|height|weight|depth|angle|temperature|voltage|current|capacity|memory|duration|range|resolution|latency|throughput|concurrency|delay|load)$/iu
const bounds = /^(?:max|min|maximum|minimum|default|target) /iu

/** `max tilt 35 deg, telemetry every 100 ms`, `staging url https://…`: properties without a colon. */
function fields(text: string): string | undefined {
  if (
    finite.test(text) ||
    pronoun.test(text) ||
    /\b(?:to|from|for|and|with|of|on|in|at|by|over|under|via|per|since|until|about) /iu.test(text)
  )
    return undefined
  const parts = text.split(/[,;] /u)
  const told = parts.map(part => {
    const [, thing = '', schedule = ''] = often.exec(part) ?? []
    if (thing !== '' && parts.length > 1) return `${thing} runs ${schedule}`
    // `max 16 players`
    const [, bound = '', count = '', of = ''] =
      /^(max|min|maximum|minimum)\.? (\d[\d.,]*k?) ((?:\p{Ll}+ ){0,2}\p{Ll}{3,})$/iu.exec(part) ?? []
    if (bound !== '' && !isAmount(`${count} ${of}`)) return `${bound} ${of}: ${count}`
    const [, key = '', value = ''] = field.exec(part) ?? []
    const name = key.trimEnd()
    if (name !== '' && (parts.length > 1 || name.includes(' ')))
      return isHead(name) || bounds.test(part) || measures.test(name) ? `${name}: ${value}` : ''
    // `default branch main`
    const [, head = '', word = ''] = /^(\p{L}+ \p{L}+) (\p{Ll}[\p{Ll}\d]+)$/u.exec(part) ?? []
    return isHead(head) && valueIn(word, head) !== undefined ? `${head}: ${word}` : ''
  })
  return told.every(Boolean) && told.some(one => one.includes(': ')) ? told.join('\n') : undefined
}

const reach =
  /^([^<>=→:]{2,40}?) ?(?:->|→|=>) ?(\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)?(?: \(@?[^()]{2,40}\))?)$/u

/** `Match: max 16 players, tick rate 30 Hz`: properties of what is named before the colon. */
function fieldsOf(text: string): string | undefined {
  const [, of = '', rest = ''] = /^([^:,]{2,40}): ([^:]{5,120})$/u.exec(text) ?? []
  const told = of === '' || !isPlainName(of) ? undefined : fields(rest)
  return told?.replace(/^(?=[^\n:]{1,60}: )/gmu, `${of} `)
}

/** `Audio engine = JUCE 8, sample rate 48 kHz`: each part in its own style. */
function mixed(text: string): string | undefined {
  const parts = text.split(/[,;] /u)
  if (parts.length === 1) return undefined
  const told = parts.map(part => equations(part) ?? fields(part) ?? amountOf(part) ?? '')
  return told.every(Boolean) ? told.join('\n') : undefined
}

/** `Alert threshold = 0.72 (was 0.65)`. */
function amountOf(text: string): string | undefined {
  const [, name = '', value = ''] =
    /^(\p{L}[\p{L}-]*(?: [\p{L}-]+){1,5}) = ([~<>≤≥]?\d[\d.,]*(?: ?[\p{L}%°/]{1,8}){0,2})(?: \(was [^()]{1,40}\))?$/u.exec(
      text,
    ) ?? []
  return name === '' || finite.test(name) ? undefined : `${name}: ${value}`
}

/** `Dashboards: https://…, owner is Kim`: the owner of the dashboards, not of the project. */
function owned(text: string): string | undefined {
  const [, of = '', rest = '', role = '', who = ''] =
    /^([^:,.]{2,40}): ([^:]{2,20}:\S{3,100}|[^:]{2,100}), (?:the )?(owner|maintainer|contact|lead)(?: is|:) (\p{Lu}[^,.:;]{1,40})$/u.exec(
      text,
    ) ?? []
  return of === '' || !isPlainName(of) ? undefined : `${of}: ${rest}\n${capital(role)} of ${of}: ${who}`
}

const asked = / (?:questions?|issues?|requests?|problems?|stuff|help)$/iu

/** `Design questions -> Malin (@malin), copy -> Jorge`: who is asked about what. */
function reached(text: string): string | undefined {
  if (!/->|→|=>/u.test(text)) return undefined
  let isSure = false
  const told = text.split(/[,;] (?=[^,;]{2,40}(?:->|→|=>))/u).map(part => {
    const [, left = '', person = ''] = reach.exec(part) ?? []
    const of = left.trimEnd().replace(asked, '')
    const name = person.replace(/ \(.*$/u, '')
    isSure ||= isFirstName(/^\S+/u.exec(name)?.[0] ?? '') || (asked.test(left.trimEnd()) && name !== '')
    if (!isPlainName(of) || isTool(name) || hasPartNoun(name)) return ''
    return `${person} is the contact for the ${of.replace(/^the /u, '')}`
  })
  return isSure && told.every(Boolean) ? told.join('\n') : undefined
}

const identified = /^(\p{L}*[\d_][\p{L}\d_]*) ?= ?([^<>=;,]{2,40})$/u

/** `UART2 = GPS, UART4 = telemetry radio`: what identifiers mean. */
function identifiers(text: string): string | undefined {
  const told = text.split(/[,;] (?=[^,;=]{2,30}=)/u).map(part => {
    const [, left = '', right = ''] = identified.exec(part) ?? []
    const isName = /\p{L}{2}/u.test(left) && /^\p{L}[^=]*\p{L}/u.test(right) && !finite.test(right)
    return isName && !/^(?:true|false|null|none)\b/iu.test(right) ? `${left} is the ${right}` : ''
  })
  return told.length > 1 && told.every(Boolean) ? told.join('\n') : undefined
}

/** True for shorthand with an equals sign or an arrow, which is not code. */
export function isShorthand(line: string): boolean {
  const text = line.trim()
  return [equations, role, amountOf, mixed, reached, identifiers, topicParts, replaced].some(
    read => read(text) !== undefined,
  )
}
