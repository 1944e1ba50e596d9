import type { Argument } from './spoken-clause.js'
import { isRegion, type Phrase } from './syntax/phrases.js'
import type { VerbGroup } from './syntax/verb-group.js'

/** The slot for a value that says where something is. */
export function placeIn(
  phrase: Phrase,
  preposition: string | undefined,
): { aspect: string; attribute: string } | undefined {
  const { head, name, tokens } = phrase
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
export function isLocating({ lemma, isPassive }: VerbGroup): boolean {
  return (
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
