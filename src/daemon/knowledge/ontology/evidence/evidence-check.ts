import type { Evidence } from '../../../../contract/knowledge/ontology-operations.js'
import type { Tables } from '../../../../store/tables/tables.js'
import { type Located, locate, type ReadableSource, type Reader, type Span } from './source.js'
import { sourceReaderOf } from './source-readers.js'

/** Why evidence is refused; docs/knowledge.md says what each means. */
export type EvidenceFault =
  | 'evidence_missing'
  | 'evidence_mismatch'
  | 'source_not_found'
  | 'source_not_clean'
  | 'source_of_other_project'
  | 'source_of_other_session'

/** Where operations take place: what the caller named, and nothing where it named nothing. */
export interface Place {
  project: string | undefined
  /** Of the session that the caller speaks for. */
  sessionKey: string | undefined
}

/** A quote with where it stands; without span and hash where it does not stand in its source. */
export interface CheckedQuote extends Evidence {
  span: Span | undefined
  hash: string | undefined
}

/** What quotes prove, and where: a claim belongs to the project and session of its evidence. */
export interface CheckedEvidence {
  quotes: readonly CheckedQuote[]
  fault: EvidenceFault | undefined
  project: string | null
  sessionKey: string | null
  /** Whether one of the sources is told to nobody but its agent. */
  isPrivate: boolean
  /** The sources as they were read, for `isUnchanged`. */
  stamps: ReadonlyMap<string, string>
}

/**
 * Looks every quote up in its source (knowledge.md#evidence): the source is there, the reader may read it, it is clean,
 * it belongs to the project and session that are worked in, and the quote stands in it word for word.
 */
export async function checkEvidence(
  tables: Tables,
  reader: Reader,
  place: Place,
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
  // Nothing is read of sources that do not count.
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

/** Whether the sources of checked evidence still are what they were, for the transaction that builds on them. */
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
  const located = new Map<string, Located & { of: readonly Evidence[] }>()
  for (const [key, source] of opened) {
    const of = evidence.filter(one => keyOf(one) === key)
    located.set(key, { ...(await locate(source, of)), of })
  }
  return evidence.map(one => {
    const { spans, hash, of } = located.get(keyOf(one)) as Located & { of: readonly Evidence[] }
    const span = spans[of.indexOf(one)]
    return { ...one, span, hash: span && hash }
  })
}

/**
 * The project of what is drawn from sources: the one that was named, else the one that all of them are of; sources of
 * none go with any. Undefined when there is no such project.
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

/** Whether what is of a session may be told to who speaks for one; what is of none goes with any. */
export function isOfSession(session: string | null, named: string | undefined): boolean {
  return named === undefined || session === null || session === named
}

/** The session of what is drawn from sources: one that all of them are of, or none. */
function sessionOf(sources: readonly Pick<ReadableSource, 'sessionKey'>[]): string | null {
  const [first] = sources
  const session = first?.sessionKey ?? null
  return sources.every(({ sessionKey }) => sessionKey === session) ? session : null
}
