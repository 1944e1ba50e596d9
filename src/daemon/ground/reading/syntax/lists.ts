import { hasPartNoun, isFirstName, isTool, languages } from '../words/names.js'
import { isHead, isSlot } from '../words/values.js'
import { verbs } from '../words/verbs.js'
import {
  address,
  held,
  isBrand,
  isPlainName,
  isPlural,
  isToolAlone,
  noun,
  properTool,
  region,
} from './telegram.js'
import { partsOfKey } from './topic-parts.js'

/** Words that make a part say more than what something uses. */
const storied =
  /\b(?:if|because|since|when|until|that|which|who|not|no|never|but|so|than|was|were|been|will|would|could|might|must|should|may|can|cannot|has|have|had|only|except|instead|unless|maybe|soon|planned)\b|n['’]t|[?!()]/iu

/** A verb that several parts share. */
const stated = new RegExp(
  `^((?:the |our )?${noun}?) ((?:is|are|runs?|lives?|sits?|talks?|goes|go|sends?|writes?|reads?|comes?|builds?|deploys?|lasts?|takes?|needs?|uses?|listens?)\\b.*)$`,
  'iu',
)
const placed = new RegExp(`^((?:the |our )?${noun}?) (in|on|via|with|over|through|from|to) (.{2,60})$`, 'u')
const located =
  /^((?:the |our )?\p{L}[\p{L}\d-]*(?: [\p{L}\d-]+){0,3}?) ((?:https?|s3|gs):\/\/\S+|[\w-]+(?:\.[\w-]+)+(?::\d+)?)$/u
const keyed = /^(\p{L}[\p{L}\d/-]*(?: [\p{L}\d/-]+){0,3}): (\S.{1,80})$/u
const measured = /^((?:\p{L}+ ){1,3})([~<>≤≥]?\d[\d.,]*(?: ?[\p{L}%/°]{1,12}){1,2})$/u
const common = /^(?:both|all|each|everything|anything)(?: else| of (?:them|which))? (?:in|on|at|by|with) /iu

type Kind = 'tool' | 'brand' | 'region' | 'address'

function kindOf(value: string): Kind | undefined {
  if (region.test(value)) return 'region'
  if (address.test(value)) return 'address'
  if (isToolAlone(value)) return 'tool'
  return isBrand(value) ? 'brand' : undefined
}

/** The words of a statement up to its value: `runs on EKS in`. */
interface Statement {
  verb: string
  preposition: string
  kind: Kind
}

function statementsIn(part: string): Statement[] {
  const rest = stated.exec(part)?.[2] ?? ''
  return [...rest.matchAll(/ (in|on|at|via|with|over|through|from|to|by) /gu)].flatMap(
    ({ index, 1: preposition = '' }) => {
      const value =
        rest
          .slice(index + preposition.length + 2)
          .split(/ (?:in|on|at|via|with|over|through|from|to|by|for) /u)[0] ?? ''
      const kind = kindOf(value)
      // The verb with its object, without other values: `talks to the backend`.
      const verb = rest
        .slice(0, index)
        .replace(/ (?:in|on|at|via|with|over|through|from|to|by) (?!the |our ).*$/u, '')
      return kind ? [{ verb, preposition, kind }] : []
    },
  )
}

/**
 * Writes a list of parts, each with its own subject, as lines: `Engine is Godot 4.4, gameplay code in C#`,
 * `Raw images: s3://raw, tiles: s3://tiles`. Undefined unless every part is understood.
 */
export function partsOfList(text: string): string | undefined {
  if (!/[,;] /u.test(text) || storied.test(text)) return undefined
  const [, key = '', rest = ''] =
    /^([^:,;]{2,40}): ([^:]{5,160}|[^:]{0,60}https?:\S+(?:, [^:]+)?)$/u.exec(text) ?? []
  const ofKey = key === '' ? undefined : partsOfKey(key, rest)
  if (ofKey !== undefined) return ofKey
  const parts = text.split(/[,;] (?:and )?/u).filter(part => !common.test(part))
  if (parts.length < 2 || parts.length > 6) return undefined
  let statements: Statement[] = []
  let isTelegram = false
  const lines = parts.map((part, at) => {
    const own = statementsIn(part)
    if (stated.test(part)) {
      if (at === 0) statements = own
      return part
    }
    isTelegram = true
    // `written in Erlang, OTP 26`: it belongs to the part before it, unlike a tool among many parts.
    const isBare = at > 0 && isToolAlone(part) && parts.filter(one => placed.test(one)).length < 2
    return isBare ? '' : lineOf(part, statements)
  })
  return isTelegram && lines.every(Boolean) ? lines.join('\n') : undefined
}

/** True for a few nouns without a verb between them, unlike `raw files land`. */
function isNounPhrase(name: string): boolean {
  const words = name.toLowerCase().split(' ')
  const forms = (word = ''): readonly string[] => (verbs.get(word) ?? []).map(({ form }) => form)
  const hasVerb =
    words.slice(1, -1).some(word => forms(word).includes('s')) ||
    (forms(words.at(-1)).includes('base') && /[^s]s$/u.test(words.at(-2) ?? ''))
  return (
    isPlainName(name) &&
    /^\p{L}/u.test(name) &&
    !hasVerb &&
    !isFirstName(name) &&
    !/ ones?$|^(?:everything|anything|others?|the (?:rest|others)|rest)\b/u.test(name)
  )
}

/** Parts of programs that are written rather than kept somewhere. */
const written =
  /(?:^| )(?:code|scripts?|tools?|tooling|tests?|apps?|front-?end|back-?end|ui|firmware|client|engine|website|site|docs|services?|apis?|bots?|plugins?|cli|sdk|kernel|core|logic|part|side|library|tiler|parser|server|worker)$/iu

function lineOf(part: string, statements: readonly Statement[]): string {
  const [, name = '', preposition = '', value = ''] = placed.exec(part) ?? []
  if (name !== '' && isNounPhrase(name)) return placedLine(name, preposition, value, statements)
  const [, key = '', told = ''] = keyed.exec(part) ?? []
  if (key !== '') return keyedLine(key, told)
  const [, thing = '', place = ''] = located.exec(part) ?? []
  if (thing !== '' && address.test(place)) return `${thing} is at ${place}`
  const [, limit = '', amount = ''] = measured.exec(part) ?? []
  if (limit !== '' && (isHead(limit.trim()) || /^(?:max|min|maximum|minimum)\.? /iu.test(limit)))
    return `${limit.trim()}: ${amount}`
  const [, tool = '', purpose = ''] =
    /^(\S+(?: \S+)?) for (?:the )?(\p{Ll}[\p{L} -]{2,40})$/u.exec(part) ?? []
  if (isToolAlone(tool) && isPlainName(purpose))
    return `We use ${isTool(tool) ? tool : properTool(tool)} for ${purpose}`
  const bare = part.replace(/ (?:underneath|below|behind it|in front)$/u, '')
  return isToolAlone(bare) && /\d/u.test(bare) ? `We use ${properTool(bare)}` : ''
}

function placedLine(
  name: string,
  preposition: string,
  told: string,
  statements: readonly Statement[],
): string {
  const [, value = told, joint = '', other = ''] = /^(.+?) (with|on) (\p{L}.+)$/u.exec(told) ?? []
  const kind = kindOf(value)
  if (!kind || (joint !== '' && !isToolAlone(other)) || isTool(name)) return ''
  const more = joint === '' ? '' : `\n${name} ${joint === 'on' ? 'runs on' : 'uses'} ${properTool(other)}`
  const be = isPlural(name) ? 'are' : 'is'
  const same = statements.find(one => one.preposition === preposition && isAlike(one.kind, kind))
  const shared = same && same.verb !== 'is' && same.verb !== 'are'
  if (shared) return `${name} ${same.verb.replace(/^(?:is|are)\b/u, be)} ${preposition} ${value}${more}`
  if (kind === 'brand') return ''
  if (kind !== 'tool')
    return preposition === 'in' || preposition === 'on' ? `${name} ${be} ${preposition} ${value}${more}` : ''
  const tool = properTool(value)
  const isLanguage = languages.has(tool.replace(/ v?\d.*$/u, '').toLowerCase())
  if (preposition === 'in' && isLanguage) return `${name} ${be} written in ${tool}${more}`
  if (preposition === 'in' && written.test(name)) return `${name} ${be} built with ${tool}${more}`
  if (preposition === 'on' && (hasPartNoun(name.replace(/s$/u, '')) || written.test(name)))
    return `${name} ${isPlural(name) ? 'run' : 'runs'} on ${tool}${more}`
  // `logs in Loki`, but `Storefront in Svelte`
  if (preposition === 'in' && !isPlural(name) && !/(?:data|state|media|code)$/iu.test(name))
    return `${name} uses ${tool}${more}`
  if (preposition === 'in' || preposition === 'on') return `${name} ${be} ${preposition} ${tool}${more}`
  return /^(?:via|with|over|through)$/u.test(preposition) ? `${name} uses ${tool}${more}` : ''
}

const isAlike = (one: Kind, other: Kind): boolean =>
  one === other || (/^(?:tool|brand)$/u.test(one) && /^(?:tool|brand)$/u.test(other))

function keyedLine(key: string, value: string): string {
  const kind = kindOf(value)
  if (held.test(key)) return `${key}: ${value}`
  if (kind === 'brand' && !isSlot(key)) return `We use ${value} as the ${key}`
  if (kind === 'address')
    return `${key} ${isPlural(key) ? 'are' : 'is'} ${/^(?:s3|gs):/u.test(value) ? 'stored in' : 'at'} ${value}`
  return kind === undefined && !isHead(key) ? '' : `${key}: ${value}`
}
