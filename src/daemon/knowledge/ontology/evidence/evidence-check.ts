import type { Evidence } from '../../../../contract/knowledge/ontology-operations.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { locateQuotes, type QuoteLocations, type ReadableSource, type Reader, type Span } from './source.js'
import { sourceReaderOf } from './source-readers.js'

/** Reasons for refusing evidence; docs/knowledge.md explains each. */
export type EvidenceFault =
  | 'evidence_missing'
  | 'evidence_mismatch'
  | 'source_not_found'
  | 'source_not_clean'
  | 'source_of_other_project'
  | 'source_of_other_session'

/** Project and session of operations; undefined where the caller named none. */
export interface OperationPlace {
  project: string | undefined
  /** Key of the caller's session. */
  sessionKey: string | undefined
}

/** A quote with its position; without span and hash if its source does not contain it. */
export interface CheckedQuote extends Evidence {
  span: Span | undefined
  hash: string | undefined
}

/** The result of checking quotes. A fact belongs to the project and session of its evidence. */
export interface CheckedEvidence {
  quotes: readonly CheckedQuote[]
  fault: EvidenceFault | undefined
  project: string | null
  sessionKey: string | null
  /** True if a source is visible to its agent only. */
  isPrivate: boolean
  /** Stamps of the sources when they were read, for `isUnchanged`. */
  stamps: ReadonlyMap<string, string>
}

/**
 * Verifies every quote in its source (knowledge.md#evidence): the source must exist, be readable and clean,
 * belong to the named project and session, and contain the quote literally.
 */
export async function checkEvidence(
  tables: Tables,
  reader: Reader,
  place: OperationPlace,
  given: readonly Evidence[],
): Promise<CheckedEvidence> {
  const evidence = given.map(one => ({ ...one, sourceId: idOf(one) }))
  const opened = new Map<string, ReadableSource>()
  const faults: EvidenceFault[] = []
  for (const one of evidence) {
    const key = keyOf(one)
    if (opened.has(key)) continue
    const source = (await sourceReaderOf(one.sourceKind)?.open(tables, reader, one.sourceId)) ?? {
      state: 'gone',
    }
    if (source.state === 'readable') opened.set(key, source)
    else faults.push(source.state === 'unclean' ? 'source_not_clean' : 'source_not_found')
  }
  const sources = [...opened.values()]
  const project = projectOf(sources, place.project)
  if (project === undefined) faults.push('source_of_other_project')
  if (!sources.every(({ sessionKey }) => isOfSession(sessionKey, place.sessionKey)))
    faults.push('source_of_other_session')
  // Sources are only read if all of them are valid.
  const quotes = faults.length > 0 ? evidence.map(unread) : await locateAll(opened, evidence)
  if (faults.length === 0 && quotes.some(({ span }) => span === undefined)) faults.push('evidence_mismatch')
  return {
    quotes,
    fault: faults[0],
    project: project ?? null,
    sessionKey: sessionOf(sources),
    isPrivate: sources.some(({ isPrivate }) => isPrivate),
    stamps: new Map([...opened].map(([key, { stamp }]) => [key, stamp])),
  }
}

/** True if the sources of checked evidence are unchanged; called in the transaction that relies on them. */
export async function isUnchanged(
  tables: Tables,
  reader: Reader,
  { quotes, stamps }: CheckedEvidence,
): Promise<boolean> {
  const sources = new Map(quotes.map(quote => [keyOf(quote), quote]))
  for (const [key, { sourceKind, sourceId }] of sources) {
    const source = await sourceReaderOf(sourceKind).open(tables, reader, sourceId)
    if (source.state !== 'readable' || source.stamp !== stamps.get(key)) return false
  }
  return true
}

function keyOf({ sourceKind, sourceId }: Pick<Evidence, 'sourceKind' | 'sourceId'>): string {
  return `${sourceKind}:${sourceId}`
}

function idOf({ sourceKind, sourceId }: Evidence): string {
  return sourceReaderOf(sourceKind).idOf?.(sourceId) ?? sourceId
}

function unread(evidence: Evidence): CheckedQuote {
  return { ...evidence, span: undefined, hash: undefined }
}

async function locateAll(
  opened: ReadonlyMap<string, ReadableSource>,
  evidence: readonly Evidence[],
): Promise<CheckedQuote[]> {
  const located = new Map<string, QuoteLocations & { of: readonly Evidence[] }>()
  for (const [key, source] of opened) {
    const of = evidence.filter(one => keyOf(one) === key)
    located.set(key, { ...(await locateQuotes(source, of)), of })
  }
  return evidence.map(one => {
    const { spans, hash, of } = located.get(keyOf(one)) as QuoteLocations & { of: readonly Evidence[] }
    const span = spans[of.indexOf(one)]
    return { ...one, span, hash: span && hash }
  })
}

/**
 * Returns the project of the evidence: the named one, else one shared by all sources; sources without project
 * fit any. Undefined if there is none.
 */
function projectOf(
  sources: readonly Pick<ReadableSource, 'projects'>[],
  named: string | undefined,
): string | null | undefined {
  const isOf = (project: string | null) => sources.every(({ projects }) => fits(projects, project))
  if (named !== undefined) return isOf(named) ? named : undefined
  if (sources.every(({ projects }) => projects.includes(null))) return null
  const candidates = sources.flatMap(({ projects }) => projects).filter(project => project !== null)
  return candidates.find(isOf)
}

function fits(projects: readonly (string | null)[], project: string | null): boolean {
  return projects.includes(project) || projects.includes(null)
}

/** True if the session matches; sources without a session, and callers without one, match any. */
export function isOfSession(session: string | null, named: string | undefined): boolean {
  return named === undefined || session === null || session === named
}

/** Returns the session shared by all sources, or null. */
function sessionOf(sources: readonly Pick<ReadableSource, 'sessionKey'>[]): string | null {
  const [first] = sources
  const session = first?.sessionKey ?? null
  return sources.every(({ sessionKey }) => sessionKey === session) ? session : null
}
