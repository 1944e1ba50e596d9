import { isTool, languages } from '../words/names.js'
import { isHead } from '../words/values.js'
import {
  address,
  declared,
  held,
  isBrand,
  isPlainName,
  isPlural,
  isToolAlone,
  noAddressee,
  noun,
  properTool,
  region,
} from './telegram.js'

const stacks =
  /^(?:(?:our |the )?(?:tech )?stack|tech|tools?|tooling|deps|dependencies|versions|languages|environment|requirements|runtime|infra)$/iu

/** Titles of lines that are not about a thing. */
const titles =
  /^(?:decisions?|decided|agreed|rules?|policy|convention|fyi|nb|todo|tbd|wip|questions?|ideas?|plans?|planned|next|meeting|retro|examples?|e\.g|error|warning|reminder|options?|alternatives?|candidates?|lessons?|learn\p{L}*|til|important|reasons?|before|after|later|maybe)\b|^(?:open|notes?|agenda|sprint|update|issue|bug|problem|preference|fact|deadline|risks?|pros?|cons?|goals?|changes?|changelog|release|fix(?:es|ed)?|feat|chore|refactor|tests?|build|ci|perf|style)(?:[ (#]*\d.*| (?:points?|items?|issues?))?$|\b(?:ideas?|plans?|questions?|options?|candidates?|wishes|wish ?list|todos?|proposals?|schedule|limit)$/iu

/** Words by which a part says something else than a property. */
const uncertain =
  /\b(?:if|because|when|until|that|which|who|not|no|never|but|so|than|was|were|been|will|would|could|might|may|can|cannot|had|except|instead|unless|maybe|someday|soon|planned|was|old|former|formerly|previously)\b|n['’]t|[?!]/iu

const kept =
  /(?:^| )(?:archives?|backups?|logs?|history|traces?|trails?|metrics|snapshots?|dumps?|recordings?|data|events?|messages?|samples?|sessions?|records?|images?|files?|footage|exports?|artifacts?|builds?|results|journal|protocols?|mails?)$/iu
const period = '(?:the last )?~?\\d+ ?(?:days?|weeks?|months?|years?|hours?|minutes?|d|h|min)'
const lasting = new RegExp(
  `^(?:(?:kept|stored|online|retained|cached) (?:for )?)?(${period})(?: (?:hot|warm|cold|online|rolling|retention|kept|only|max))*(?: (?:in|on) (\\p{L}.{1,40}))?$`,
  'iu',
)
const done =
  /^(?:kept|retained|stored|cached|archived|rotated|deleted|purged|updated|refreshed|rebuilt|synced|written|built|hosted|deployed|rendered|powered|served|generated|maintained|owned|managed|backed|driven|replicated|exposed|published|monitored|encrypted|pulled|fed|scraped|polled) \S/iu
const often =
  /^(?:every|each) (?:(?:other|second|first|last) )?(?:\d|second|minute|hour|day|night|morning|evening|work|week|month|quarter|year|sprint|mon|tue|wed|thu|fri|sat|sun|release|push|commit|build|deploy)|^(?:nightly|daily|weekly|hourly|monthly|quarterly)\b/iu
const working =
  /^(\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?) (owns|drives|maintains|leads|looks after|approves|reviews|manages) (?:it|them|this)$/u
/** `Mon-Thu only`. */
const onDays =
  /^(?:mon|tue|wed|thu|fri|sat|sun)\p{L}*(?: ?(?:-|–|to|and) ?(?:mon|tue|wed|thu|fri|sat|sun)\p{L}*)?(?: only|,? \d{1,2}(?::\d\d)? ?(?:-|–|to) ?\d{1,2}(?::\d\d)?)$/iu
const limited =
  /^(?:(?:max(?:imum)?\.?|up to|at most|capped at|limited to|limit(?: of)?|cap of) )(~?\d[\d.,]*k?(?: ?[\p{L}%/°]{1,12}){1,3})$/iu
const sized = /^(?:~|about |around |roughly )?\d[\d.,]*k? (?:lines|loc) of (\p{Lu}\S*(?: v?\d[\w.]*)?)$/u
const fed = /^(?:from (?:the )?)?(\p{Lu}[\p{L}\d-]+(?: \p{Lu}[\p{L}\d-]+)?) (?:feed|dump|export|stream)$/u
const role =
  /^((?:\p{Ll}[\p{L}-]+ ){0,2}(?:co-)?(?:owner|lead|maintainer|contact|admin|reviewer|approver))(?: is|:)? ((?:Dr\.? |Prof\.? )?[@\p{Lu}][^,;:()]{1,40})$/u

/** Reads one part of what is said of a thing: `Kafka 3.7 on port 9092`, `owner @kim`. */
function lineOfPart(key: string, part: string): string {
  const of = `The ${key}`
  const be = isPlural(key) ? 'are' : 'is'
  const [, who = '', name = ''] = role.exec(part) ?? []
  if (who !== '') return `${who} of ${key}: ${name}`
  const [, port = ''] = /^port (\d{2,5})$/iu.exec(part) ?? []
  if (port !== '') return `${of} listens on port ${port}`
  const [, repository = ''] = /^repo(?:sitory)?:? ([\w.-]+\/[\w./-]+)$/iu.exec(part) ?? []
  if (repository !== '') return `The repository of the ${key} is ${repository}`
  if (address.test(part) && !noAddressee.test(key)) return `${of} ${be} at ${part}`
  if (uncertain.test(part)) return ''
  const [, worker = '', does = ''] = working.exec(part) ?? []
  if (worker !== '') return `${worker} ${does.replace('drives', 'leads')} the ${key}`
  if (/^(?:runs on|lives in|sits behind|listens on|depends on|is written in|uses|needs) \S/u.test(part))
    return `${of} ${part}`
  const tool = toolLine(key, part.replace(/ (?:behind it|underneath|below|in front)$/u, ''))
  if (tool !== '') return tool
  const limit = limitOf(key, part)
  if (limit !== '') return limit
  const [, language = ''] = sized.exec(part) ?? []
  if (language !== '') return isToolAlone(language) ? `${of} ${be} written in ${language}` : ''
  const [, source = ''] = fed.exec(part) ?? []
  if (source !== '') return `${of} ${isPlural(key) || / data$/u.test(key) ? 'come' : 'comes'} from ${source}`
  const [, time = '', store = ''] = lasting.exec(part) ?? []
  if (time !== '' && (kept.test(key) || isToolAlone(store)))
    return `${of} ${be} kept for ${time}${isToolAlone(store) ? `\n${of} ${be} stored in ${properTool(store)}` : ''}`
  if (done.test(part)) return `${of} ${be} ${part}`
  if (onDays.test(part)) return `${key} schedule: ${part}`
  return often.test(part) ? `${of} ${isPlural(key) ? 'run' : 'runs'} ${part}` : ''
}

/** `Jenkins 2.4 on port 8090`, `GKE in europe-north1`, `Kotlin on Ktor`. */
function toolLine(key: string, part: string): string {
  const of = `The ${key}`
  const uses = isPlural(key) ? 'use' : 'uses'
  const [, tool = part, preposition = '', place = ''] =
    /^(.+?) (on|in|to|with|via|for) (\S.*)$/u.exec(part) ?? []
  const isNamed =
    isToolAlone(tool) || (isBrand(tool.replace(/ v?\d[\w.]*$/u, '')) && / v?\d+\.[\w.]*$/u.test(tool))
  if (!isNamed) return ''
  const name = properTool(tool)
  if (preposition === '') return `${of} ${uses} ${name}`
  const [, port = ''] = /^port (\d{2,5})$/iu.exec(place) ?? []
  if (port !== '')
    return `${of} ${uses} ${name}\n${name.replace(/ v?\d[\w.]*$/u, '')} listens on port ${port}`
  if (region.test(place))
    return `${of} ${isPlural(key) ? 'run' : 'runs'} on ${name}\n${of} ${isPlural(key) ? 'are' : 'is'} in ${place}`
  if (preposition === 'to')
    return `${of} ${uses} ${name}\n${of} ${isPlural(key) ? 'are' : 'is'} copied to ${place}`
  if (/^(?:with|via|for)$/u.test(preposition))
    return `${of} ${uses} ${name}${isToolAlone(place) ? `\n${of} ${uses} ${properTool(place)}` : ''}`
  if (preposition === 'in') return ''
  return isToolAlone(place) || isBrand(place)
    ? `${of} ${uses} ${name}\n${of} ${isPlural(key) ? 'run' : 'runs'} on ${properTool(place)}`
    : ''
}

function isTopic(key: string): boolean {
  return (
    isPlainName(key) &&
    !isHead(key) &&
    !stacks.test(key) &&
    !titles.test(key) &&
    !declared.test(key) &&
    !held.test(key) &&
    !isTool(key) &&
    !languages.has(key.toLowerCase())
  )
}

/** Brackets with a remark. */
const remarks = / \([^()]*\)/gu

/**
 * Writes properties of what is named before the colon as sentences: `Orders API: Kotlin 2.1, Ktor 3, owner
 * @kim`. Undefined unless every part is understood.
 */
export function partsOfKey(key: string, rest: string): string | undefined {
  if (!isTopic(key)) return undefined
  const lines = partsIn(rest.replace(remarks, '')).map(part => lineOfPart(key.replace(/^the /iu, ''), part))
  return lines.length > 1 && lines.every(Boolean) ? withOnePeriod(lines).join('\n') : undefined
}

/**
 * Writes what is understood of a line about one thing as sentences, and leaves out the rest: `Build farm: 3
 * towers, Jenkins 2.4 on port 8090. Ann maintains it.` Undefined if nothing is.
 */
export function topicParts(text: string): string | undefined {
  const [, key = '', rest = ''] = /^([^:=.,;\n]{2,40}?)(?::| =) (\S[^\n]*)$/u.exec(text) ?? []
  if (key === '' || !isTopic(key)) return undefined
  const name = key.replace(/^the /iu, '')
  const [first = '', ...more] = rest.replace(remarks, '').split(/(?<=[^\s.]{2})[.!] (?=\p{Lu}|[a-z]+-[a-z])/u)
  const lines = partsIn(first)
    .map(part => lineOfPart(name, part))
    .filter(Boolean)
  const told = withOnePeriod(lines)
  if (told.length === 0) return undefined
  const others = more.map(one => one.replace(/ it(?=\.?$)/u, ` the ${name}`).replace(/^It /u, `The ${name} `))
  return [...told, ...others].join('\n')
}

/** A second period, such as for old data, contradicts nothing. */
function withOnePeriod(lines: readonly string[]): string[] {
  const first = lines.findIndex(line => / kept for /u.test(line))
  return lines.filter((line, at) => at === first || !/ kept for /u.test(line))
}

function partsIn(told: string): string[] {
  return told
    .replace(/(?<![\s.!])[\s.!]+$/u, '')
    .split(/[,;] (?:and |then |afterwards |also )?|(?<=\p{L}|\d) \+ /u)
}

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\\p{L}*\\.?'
const date = `(?:\\d{4}-\\d\\d-\\d\\d|\\d{1,2}(?:st|nd|rd|th|\\.)?(?: ${month})?(?: \\d{4})?|${month}(?: \\d{1,2}(?:st|nd|rd|th)?)?(?: \\d{4})?|(?:mon|tue|wed|thu|fri|sat|sun)\\p{L}*)`
const time = '\\d{1,2}(?::\\d\\d| ?[ap]m)(?: (?:UTC|GMT|CES?T))?'
const spanned = new RegExp(
  `^(?:the |our )?(${noun}?)(?: (?:runs?|lasts?|is open|are open|takes place|happens|goes)|:) (?:on |from )?((?:${date}|${time}) ?(?:-|–|to|till|until) ?(?:${date}|${time}))(?:,? (?:in|at|on) [^,;]{2,30})?(?=$|[,;(])(.*)$`,
  'iu',
)
const bounds = new RegExp(
  `^(?:the |our )?(${noun}?) (?:is|are|has|have|may be|can be) [^:;.]*?(?:, | and )((?:max(?:imum)?\\.?|at most|up to|capped at|limited to|cap of) ~?\\d[^,;]{0,40}?)(?=$|[,;(])`,
  'iu',
)
const flow = new RegExp(
  `^(?:the |our )?(${noun}?) from (?:the )?(\\p{Lu}[\\p{L}\\d-]+(?: \\p{Lu}[\\p{L}\\d-]+)?) (?:comes?|arrives?|goes|go|gets?|is|are|lands?)(?: (?:in|pulled|pushed|sent|delivered|fetched|imported|uploaded|dropped))?(?: (?:over|via|through|by|as) ([\\p{Lu}][\\p{L}\\d/.-]+))?(?: (?:on|at|in|to|from) (\\S+[.:/]\\S*\\w))?(?=$|[,;])`,
  'u',
)
const moved =
  /^(?:the |our )?(\p{L}[\p{L}\d-]*(?: [\p{L}\d-]+){0,3}?) (?:(?:has |have |was |were |is |are )?(?:moved|migrated)|(?:is|are|lives?) now) (?:over )?(?:to|at|on|in|under) (https?:\/\/\S+[^\s.,;:!?)]|(?=\S*\.)[a-z\d][\w-]*(?:\.[\w-]+)+(?::\d+)?(?:\/\S+\w)?)(?=$|[\s.,;:!?)])/iu
const sizedIn =
  /^(?:the |our )?(\p{L}[\p{L}\d-]*(?: [\p{L}\d-]+){0,3}?) (?:is|are|has|have) [^:;.]*?\d[\d.,]*k? (?:lines|loc) of ([\p{L}#+]+(?: v?\d[\d.]*)?)(?=$|[\s.,;:!?)])/iu
const timedRole = new RegExp(
  `^(?:(\\p{L}[^:,.;]{1,40}?) )?(owner|lead|maintainer|contact|manager|admin|architect|deputy) (since|until|till|from|as of) ((?:the (?:end|middle|start) of )?${date}): ((?:Dr\\.? )?\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+){0,2})(?=$|[.,;(])`,
  'iu',
)
const days = '(?:mon|tue|wed|thu|fri|sat|sun)\\p{L}*'
const duty = `${days}(?: ?(?:-|–|to) ?${days})? \\p{Lu}\\p{L}+(?: \\p{Lu}\\p{L}+)?`
const rota = new RegExp(`^(on[- ]?call[^:]{0,30}): (${duty}(?:(?:, | and )${duty})*)(?=$|[.,;]| \\()`, 'iu')

/**
 * Writes a property of one thing, in few words, as sentences: `Open beta runs 3 May - 20 May`, `docs
 * moved to https://…`, `QA lead since March: Ann`. Undefined for other lines.
 */
export function propertiesOf(text: string): string | undefined {
  return spans(text) ?? places(text) ?? roles(text)
}

function spans(text: string): string | undefined {
  // The long patterns are compiled with the first line that may have their form.
  const isSpan = /(?:-|–|\bto|\btill|\buntil) ?[\d\p{Lu}]/u.test(text)
  const [, of = '', span = '', more = ''] = isSpan ? (spanned.exec(text) ?? []) : []
  if (of !== '' && isThing(of)) {
    const rest = partsIn(more.replace(/^[\s,;(]+|\)$/gu, '')).map(part => limitOf(of, part))
    return [`${of} schedule: ${span}`, ...rest.filter(Boolean)].join('\n')
  }
  const [, bound = '', told = ''] = /\b(?:max|at most|up to|capped|limited|cap of)\b/iu.test(text)
    ? (bounds.exec(text.replace(remarks, '')) ?? [])
    : []
  const limit = bound === '' || !isThing(bound) ? '' : limitOf(bound, told)
  if (limit !== '') return limit
  const [, sizedThing = '', language = ''] = /(?:lines|loc) of /iu.test(text)
    ? (sizedIn.exec(text) ?? [])
    : []
  return sizedThing !== '' && isThing(sizedThing) && isToolAlone(language)
    ? `The ${sizedThing} is written in ${language}`
    : undefined
}

function limitOf(of: string, part: string): string {
  const [, limit = ''] = limited.exec(part) ?? []
  return limit === '' ? '' : `${of} limit: ${limit}`
}

function places(text: string): string | undefined {
  const [, what = '', address = ''] = /moved|migrated|now /iu.test(text) ? (moved.exec(text) ?? []) : []
  if (what !== '' && (isThing(what) || /^repo(?:sitory)?$/iu.test(what)))
    return /^repo(?:sitory)?$/iu.test(what)
      ? `The repository is ${address}`
      : `The ${what} ${isPlural(what) ? 'are' : 'is'} at ${address}`
  const [, of = '', source = '', means = '', place = ''] = / from /u.test(text) ? (flow.exec(text) ?? []) : []
  if (of === '' || (means === '' && place === '') || !isThing(of)) return undefined
  const be = isPlural(of) ? 'are' : 'is'
  return [
    `The ${of} ${isPlural(of) ? 'come' : 'comes'} from ${source}`,
    means === '' ? '' : `The ${of} ${isPlural(of) ? 'use' : 'uses'} ${means}`,
    place === '' ? '' : `The ${of} ${be} at ${place}`,
  ]
    .filter(Boolean)
    .join('\n')
}

function roles(text: string): string | undefined {
  const [, of = '', name = '', when = '', date = '', who = ''] = /: \p{Lu}/u.test(text)
    ? (timedRole.exec(text) ?? [])
    : []
  if (who !== '')
    return `${who} is the ${name.toLowerCase()}${of === '' ? '' : ` of the ${of.replace(/^the /iu, '')}`} ${when.toLowerCase()} ${date}`
  // `owner of all this: Ann`
  const [, title = '', owner = ''] =
    /^(\p{L}+) (?:of|for) (?:all (?:of )?(?:this|that|it|these)|everything): (\S.*)$/iu.exec(text) ?? []
  if (title !== '' && held.test(title)) return `${title}: ${owner}`
  const [, key = '', people = ''] = /^on[- ]?call/iu.test(text) ? (rota.exec(text) ?? []) : []
  if (key === '') return undefined
  const names = people
    .split(/, | and /u)
    .map(one => one.replace(/^\S{1,40}(?: ?(?:-|–|to) ?\S{1,40})? (?=\p{Lu})/u, ''))
  return `${key.replace(/^on-?call/iu, 'On call')}: ${names.join(' and ')}`
}

/** A name of a thing, unlike `we` or `this`. */
function isThing(name: string): boolean {
  return (
    isPlainName(name) &&
    !titles.test(name) &&
    !declared.test(name) &&
    !/^(?:what|which|all|each|every|some|most)\b/iu.test(name)
  )
}
