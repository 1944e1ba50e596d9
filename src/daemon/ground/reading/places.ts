import type { LineReading } from './reading.js'
import type { Argument } from './spoken-clause.js'
import { isRegion, type Phrase, phraseOf } from './syntax/phrases.js'
import { noAddressee } from './syntax/telegram.js'
import type { Token } from './syntax/tokens.js'
import type { VerbGroup } from './syntax/verb-group.js'
import { isTool } from './words/names.js'
import { isHead } from './words/values.js'

/** The slot for a value that says where something is. */
export function placeIn(
  phrase: Phrase,
  preposition: string | undefined,
): { aspect: string; attribute: string } | undefined {
  const { head, name, tokens } = phrase
  // `generated as PDF/A`
  if (preposition === 'as') return undefined
  // `in the bucket s3://dumps`
  if (tokens.length === 2 && ['url', 'path'].includes(head.kind))
    return placeIn({ ...phrase, name: head.text, tokens: [head] }, preposition)
  const network = (attribute: string) => ({ aspect: 'network', attribute })
  if (
    tokens.length === 2 &&
    /^(?:bucket|container|folder|directory|repository|repo|channel|namespace|table|queue|topic|project)$/u.test(
      tokens[0]?.lower ?? '',
    )
  )
    return undefined
  if (tokens.length !== 1) return undefined
  if (head.kind === 'url')
    return /^(?:s3|gs):/u.test(name) ? { aspect: 'storage', attribute: 'stored in' } : network('url')
  if (head.kind === 'dotted' && isHostName(name, preposition)) return network('url')
  if (/^0x[0-9a-f]{4,}$/iu.test(head.text)) return { aspect: 'facts', attribute: 'address' }
  if (head.kind === 'path') return { aspect: 'files', attribute: 'path' }
  if (head.kind === 'host') return network(/:\d+$/u.test(name) ? 'address' : 'ip')
  return isRegion(name) ? { aspect: 'deployment', attribute: 'region' } : undefined
}

function isHostName(name: string, preposition: string | undefined): boolean {
  return (
    name === name.toLowerCase() &&
    (name.split('.').length > 2 || preposition === 'at' || preposition === undefined) &&
    /\.(?:com|org|net|io|dev|app|example|internal|local|lan|de|eu|ai|cloud|co|sh|test)$/u.test(name)
  )
}

/** True for verbs that say where something is. */
export function isLocating({ lemma, isPassive }: VerbGroup, preposition?: string): boolean {
  return (
    (lemma === 'come' && preposition === 'from') ||
    (isPassive && lemma !== 'replace') ||
    /^(?:be|run|live|sit|reside|lie|listen|bind|serve|deploy|stay|start|go|respond|answer|land|arrive)$/u.test(
      lemma,
    )
  )
}

/** True if a phrase is a port that the verb listens on. */
export function isPort(
  { head, name }: Phrase,
  { preposition }: Argument,
  { lemma, isPassive }: VerbGroup,
): boolean {
  const isListening =
    /^(?:listen|bind|run|serve|expose|answer)$/u.test(lemma) ||
    (isPassive && /^(?:reach|serve|expose)$/u.test(lemma))
  if (!isListening || head.kind !== 'number') return false
  return (
    /^(?:ports?|udp|tcp|(?:udp|tcp) port) \d{2,5}$/iu.test(name) ||
    (/^\d{2,5}$/u.test(name) && preposition === 'on' && /^(?:listen|bind)$/u.test(lemma))
  )
}

/** `Staging database: shop_stage on db-4.internal:5433`. */
export function readAddressed(reading: LineReading, key: Phrase, value: readonly Token[]): boolean {
  const at = value.findIndex(({ kind }) => kind === 'host')
  const host = value[at]
  if (!host || !/^(?:on|at|via)$/u.test(value[at - 1]?.lower ?? 'at') || key.tokens.length > 4) return false
  const phrase = phraseOf([host], reading.text)
  const place = phrase && placeIn(phrase, 'at')
  return (
    place !== undefined &&
    phrase !== undefined &&
    reading.value(reading.thingOf(key), place, phrase.name, { by: 'key-value' })
  )
}

/** `Grafana: https://…, Alertmanager: https://…`: addresses by name. */
export function readAddressLine(reading: LineReading): boolean {
  const parts = reading.text.replace(/(?<![.\s])[.\s]+$/u, '').split(/[,;]\s+/u)
  const named = parts.map(
    part => /^([\p{L}\p{N}][\p{L}\p{N} ._-]{0,40}): (https?:\/\/\S+)$/u.exec(part) ?? [],
  )
  const read = named.filter(([, name = '']) => name !== '' && !isHead(name) && !noAddressee.test(name))
  // `Grafana: https://…, Loki keeps 21 days`: the rest is read as usual.
  const isWhole = read.length === named.length
  if (!isWhole && named[0] !== read[0]) return false
  const told = read
    .map(([, name = '', url = '']) =>
      reading.value(
        reading.named(name, isTool(name) ? 'tool' : 'component'),
        { aspect: 'network', attribute: 'url' },
        url,
        { by: 'address' },
      ),
    )
    .some(Boolean)
  return isWhole && told
}
