import type { WordClass } from '../words/classes.js'
import { compounds } from '../words/classes.js'
import type { VerbForm } from '../words/verbs.js'

export type TokenKind =
  | 'code'
  | 'url'
  | 'email'
  | 'package'
  | 'handle'
  | 'setting'
  | 'issue'
  | 'channel'
  | 'flag'
  | 'path'
  | 'date'
  | 'time'
  | 'host'
  | 'quantity'
  | 'version'
  | 'number'
  | 'dotted'
  | 'word'
  | 'compound'
  | 'possessive'
  | 'mark'

/** A word or a sign of a text, with its place: technical names stay whole. */
export interface Token {
  text: string
  lower: string
  kind: TokenKind
  start: number
  end: number
  cls: WordClass
  /** A capital letter here may only begin the sentence. */
  isFirst?: boolean
  /** The name of something known, however it is written. */
  isKnown?: boolean
  /** Words in brackets after it. */
  aside?: Token[]
  /** Set while the verb of a clause is sought. */
  lemma?: string
  form?: VerbForm
}

const units =
  'k|M|G|%|ms|µs|us|ns|s|sec|min|h|hrs?|d|[kKMGT]i?B|[kMG]?bps|[kMG]?bit/s|[kMG]?Hz|m|mm|cm|km|mm/s|m/s|km/h|mph|rpm|px|pt|rem|em|req/s|rps|qps|fps|vCPUs?|cores?|x|°[CF]|K|[kmµ]?g|t|[mµ]?[lL]|m[²³]|[µmk]?V|[µmk]?A|m?Ah|[mkMG]?Wh?|[mkM]?Ω|[µnp]F|[kM]?Pa|bar|psi|Nm?|dBm?|lm|lx|ppm|EUR|USD|GBP|CHF|€|£|\\$'

const kinds: readonly (readonly [TokenKind, RegExp])[] = [
  // First, since most tokens are plain words, and no other kind matches one.
  ['word', /\p{L}+(?=[,;.!?]?(?:\s|$))/uy],
  ['code', /`[^`\n]+`|<https?:[^>\s]+>/y],
  [
    'url',
    /(?:https?|wss?|s3|gs|ssh|ftp|sftp|postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|amqps?|jdbc:\w+|file|tcp|udp|nats|kafka|git\+ssh|mqtts?|ldaps?):\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?]/y,
  ],
  ['url', /git@[\w.-]+:[\w./-]+\w/y],
  ['email', /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/uy],
  ['package', /@[\w-]+\/[\w.-]*\w/y],
  ['handle', /@[\p{L}\w](?:[\p{L}\w.-]*[\p{L}\w])?/uy],
  ['setting', /[A-Za-z][\w.]*=[\w.:/-]*\w/y],
  ['issue', /#\d+\b/y],
  ['channel', /#[\p{L}][\p{L}\w-]*/uy],
  ['flag', /--?[a-z][\w-]*(?:=\S+[^\s.,;:)])?|-[A-Z]\w*(?:=\S+[^\s.,;:)])?/y],
  ['path', /(?:~|\.{1,2})?\/(?:[\w.@%+*{}<>$-]+\/)*[\w.@%+*{}<>$-]*[\w*}>$]\/?/y],
  ['date', /\d{4}-\d{2}(?:-\d{2})?(?:T[\d:.]+Z?)?\b|\d{1,2}\.\d{1,2}\.\d{4}\b|\d{1,2}\/\d{1,2}\/\d{4}\b/y],
  [
    'time',
    /\d{1,2}:\d{2}(?::\d{2})?(?:\s?(?:am|pm|a\.m\.|p\.m\.))?(?:\s(?:UTC|GMT|CES?T|[EPCM][SD]?T)\b)?|\d{1,2}\s?(?:am|pm)\b/y,
  ],
  ['number', /0x[0-9A-Fa-f]+\b/y],
  ['host', /\d{1,3}(?:\.\d{1,3}){3}(?::\d+|\/\d+)?|[a-z][\w-]*(?:\.[a-z][\w-]*)*:\d{2,5}\b/y],
  [
    'quantity',
    new RegExp(
      `[~<>≤≥]?\\s?\\d+(?:[.,]\\d+)*\\s?(?:${units})(?![\\p{L}\\p{N}])(?:\\s?\\/\\s?(?:s|sec|min|h|day))?`,
      'uy',
    ),
  ],
  [
    'version',
    /v?\d+(?:\.(?:\d+|x))+(?:[-+.]?(?:alpha|beta|rc|dev|pre|snapshot|lts|post)[\w.]*)?(?: LTS)?\+?(?![\p{L}\p{N}])|v\d+(?![\p{L}\p{N}])/iuy,
  ],
  ['word', /\d+-bit(?![\p{L}\p{N}])/uy],
  ['version', /\d{1,3}\+(?![\p{L}\p{N}+])/uy],
  ['version', /\d{4}_\d{2}(?![\p{L}\p{N}])/uy],
  ['number', /\d+(?:[.,/]\d+)*(?:st|nd|rd|th)?(?![\p{L}\p{N}_])/uy],
  ['dotted', /(?:C\+\+(?:\d\d)?|[CFJ]#|\.NET|Node\.js|Let['’]s Encrypt)/y],
  ['path', /[\p{L}\w.@-]+(?:\/[\p{L}\w.@*<>{}-]+)+\/?(?<![.])/uy],
  ['dotted', /\.[a-z]{2,5}\b|[\p{L}\w][\p{L}\w-]*(?:\.[\p{L}\w][\p{L}\w-]*)+/uy],
  ['word', /[\p{L}\d_]+(?:[-'’:&+][\p{L}\d_]+)*\+*/uy],
  ['mark', /->|=>|[<>=~]=|→|—|–|\.\.\.|…|\S/uy],
]
const abbreviation = /^(?:e\.g|i\.e|etc|vs|approx|incl|resp|Dr|Mr|Mrs|Ms|Prof|No|St|cf)$/u
const slashWord = /^(?:and\/or|w\/o|n\/a|i\/o|tcp\/ip|ci\/cd|a\/b|km\/h|mm\/s|his\/her|read\/write)$/iu

const blank = /(?:\s|\*\*|__(?=[\p{L}\d])|(?<=[\p{L}\d:])__)+/uy

/** Splits a text into tokens. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const skipped = foundAt(blank, text, at)?.length
    if (skipped) {
      at += skipped
      continue
    }
    const [kind, found] = tokenAt(text, at)
    const quoted = kind === 'code' ? quotedAddress(found.slice(1, -1)) : undefined
    if (quoted) tokens.push(tokenOf(found.slice(1, -1), quoted, at + 1))
    if (quoted) at += found.length
    if (quoted) continue
    let start = at
    for (const [part, as, told = part] of partsOf(kind, found)) {
      tokens.push({ ...tokenOf(told, as, start), end: start + part.length })
      start += part.length
    }
    at += found.length
  }
  return joined(tokens, text)
}

function foundAt(form: RegExp, text: string, at: number): string | undefined {
  form.lastIndex = at
  return form.exec(text)?.[0]
}

function tokenOf(text: string, kind: TokenKind, start: number): Token {
  return { text, lower: text.toLowerCase(), kind, start, end: start + text.length, cls: 'noun' }
}

/** An address or a path in backticks is the same without them. */
function quotedAddress(inside: string): TokenKind | undefined {
  const [kind, found] = tokenAt(inside, 0)
  return found === inside && ['url', 'path', 'host', 'email', 'quantity'].includes(kind) ? kind : undefined
}

function tokenAt(text: string, at: number): [TokenKind, string] {
  const before = text.charAt(at - 1)
  const isAfterWord = /[\p{L}\p{N}]/u.test(before)
  for (const [kind, form] of kinds) {
    const found = foundAt(form, text, at)
    if (!found) continue
    if (kind === 'path' && (slashWord.test(found) || (found.startsWith('/') && isAfterWord))) continue
    if ((kind === 'flag' || kind === 'channel') && isAfterWord) continue
    if (kind === 'number' && /[\p{L}_-]/u.test(before)) continue
    if (kind === 'dotted' && abbreviation.test(found)) continue
    return [kind, found]
  }
  return ['mark', text.charAt(at)]
}

const contracted: Readonly<Record<string, string>> = {
  "'m": 'am',
  "'re": 'are',
  "'ve": 'have',
  "'d": 'would',
  "'ll": 'will',
}
const stems: Readonly<Record<string, string>> = { ca: 'can', wo: 'will' }

/** A part as written, and the word that it stands for. */
type Part = readonly [part: string, kind: TokenKind, told?: string]

/** Most words have neither an apostrophe nor the end of a negation. */
const mayHaveParts = /['’]|nt$|^cannot$|^pl[sz]$/iu

/** Possessives, negations and short forms are tokens of their own. */
function partsOf(kind: TokenKind, found: string): readonly Part[] {
  if (kind !== 'word' && kind !== 'dotted') return [[found, kind]]
  if (!mayHaveParts.test(found)) return [[found, kind]]
  if (/^pl[sz]$/iu.test(found)) return [[found, 'word', 'please']]
  if (found.toLowerCase() === 'cannot')
    return [
      [found.slice(0, 3), 'word'],
      [found.slice(3), 'word'],
    ]
  const [, stem = '', not] = /^(.+?)(n['’]t)$/iu.exec(found) ?? []
  if (not)
    return [
      [stem, 'word', stems[stem.toLowerCase()] ?? stem],
      [not, 'word', 'not'],
    ]
  // `dont`, `isnt`: typed without the apostrophe.
  const [, bare] = /^(do|does|did|is|are|was|were|has|have|should|would|could|ca|wo)nt$/iu.exec(found) ?? []
  if (bare)
    return [
      [bare, 'word', stems[bare.toLowerCase()] ?? bare],
      [found.slice(bare.length), 'word', 'not'],
    ]
  const [, owner = '', mark] = /^(.+?)(['’]s)$/u.exec(found) ?? []
  if (mark) {
    const isVerb = /^(?:it|that|there|he|she|what|here|let|who)$/iu.test(owner)
    return [[owner, kind], isVerb ? [mark, 'word', 'is'] : [mark, 'possessive']]
  }
  const [, who = '', verb] = /^(I|we|you|they|he|she|it)(['’](?:m|re|ve|d|ll))$/iu.exec(found) ?? []
  return verb
    ? [
        [who, 'word'],
        [verb, 'word', contracted[verb.toLowerCase().replace('’', "'")] ?? verb],
      ]
    : [[found, kind]]
}

/** Joins words that act as one, such as `instead of`. */
function joined(tokens: readonly Token[], text: string): Token[] {
  const out: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const first = tokens[at] as Token
    const found = compounds
      .get(first.lower)
      ?.find(([words]) => words.every((word, offset) => tokens[at + offset]?.lower === word))
    if (!found) {
      const end = titleAt(tokens, at)
      if (end === undefined) out.push(first)
      else at = end - 1
      continue
    }
    const [words, cls] = found
    const last = tokens[at + words.length - 1] as Token
    const { start } = first
    const { end } = last
    out.push({ text: text.slice(start, end), lower: words.join(' '), kind: 'compound', start, end, cls })
    at += words.length - 1
  }
  return out
}

const titles = new Set(['Dr', 'Mr', 'Mrs', 'Ms', 'Prof'])

/** Returns the end of a title before a name, which does not belong to the name: `Dr. Ann Lee`. */
function titleAt(tokens: readonly Token[], at: number): number | undefined {
  if (!titles.has(tokens[at]?.text ?? '')) return undefined
  const end = tokens[at + 1]?.text === '.' ? at + 2 : at + 1
  return /^\p{Lu}\p{L}+$/u.test(tokens[end]?.text ?? '') ? end : undefined
}

/** Words in brackets belong to the word before them. */
export function withAsides(tokens: readonly Token[]): Token[] {
  const out: Token[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    const isOpen = token.text === '(' || (token.text === '<' && tokens[at + 1]?.kind === 'email')
    const close = isOpen
      ? tokens.findIndex((one, to) => to > at && one.text === (token.text === '(' ? ')' : '>'))
      : -1
    const owner = out.at(-1)
    if (close < 0) out.push(token)
    else {
      if (owner) owner.aside = [...(owner.aside ?? []), ...tokens.slice(at + 1, close)]
      at = close
    }
  }
  return out
}

/** Splits tokens into sentences. */
export function sentencesIn(tokens: readonly Token[]): Token[][] {
  const sentences: Token[][] = []
  let current: Token[] = []
  tokens.forEach((token, at) => {
    current.push(token)
    if (token.kind !== 'mark' || !/^(?:[.!?…]|\.\.\.)$/u.test(token.text)) return
    const before = tokens[at - 1]
    const isShort =
      token.text === '.' &&
      before !== undefined &&
      abbreviation.test(before.text) &&
      before.end === token.start
    const isBound = /^(?:max|min|ca)$/iu.test(before?.text ?? '') && /^\d/u.test(tokens[at + 1]?.text ?? '')
    const next = tokens[at + 1]
    if (!isBound && !isShort && (!next || next.start > token.end)) {
      sentences.push(current)
      current = []
    }
  })
  return current.length > 0 ? [...sentences, current] : sentences
}

/** The words of a text between the first and the last token, without what was taken out between them. */
export function textOf(tokens: readonly Token[], text: string): string {
  let told = ''
  let end: number | undefined
  for (const token of tokens) {
    const gap = end === undefined ? '' : text.slice(end, token.start).replaceAll('**', '')
    told += (gap === ' ' || /^\s*["'“(]?$/u.test(gap) ? gap : ' ') + text.slice(token.start, token.end)
    end = token.end
  }
  return told
}
