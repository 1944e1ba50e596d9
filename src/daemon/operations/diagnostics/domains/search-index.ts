import { stat } from 'node:fs/promises'
import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import type { LiveStats } from '../../../ground/index/live-index.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import { type DiagnosticsInput, damageFinding, finding, fine, scored } from '../findings/finding.js'
import type { IndexState, PassageIndexState } from '../survey/compare-indexes.js'

type Vectors = { missing: number; stale: number; current: number }

/** Compares the search indexes with the stored rows, as of the survey. */
export async function indexDomain({ daemon, survey }: DiagnosticsInput): Promise<DomainReport<'index'>> {
  const { stats, transcripts, artifacts } = survey.indexes
  const vectors = vectorsOf(daemon, survey)
  const { alive } = survey.memories
  return {
    ...scored([
      ...entryFindings(survey.indexes),
      ...passageFindings('transcripts', transcripts),
      ...passageFindings('artifacts', artifacts),
      ...vectorFindings(daemon, stats, withoutUnreadable(daemon, survey, vectors), alive),
      ...damagedVectors(survey),
    ]),
    state: stats.state,
    memories: survey.indexes.memories,
    entries: stats.entries,
    vectors: stats.vectors,
    terms: stats.terms,
    bytes: stats.bytes,
    embeddingCoverage: alive === 0 ? 1 : (alive - vectors.missing) / alive,
    missingVectors: vectors.missing,
    snapshotBytes: await stat(daemon.paths.snapshot).then(
      ({ size }) => size,
      () => null,
    ),
    transcripts: { entries: transcripts.entries, rows: transcripts.rows },
    artifacts: { entries: artifacts.entries, rows: artifacts.rows },
  }
}

/** Counts alive memories by vector: of the active model, of another model, and missing. */
function vectorsOf({ embedder }: Daemon, { vectorModels, memories }: DiagnosticsInput['survey']): Vectors {
  const { provider, model, dimensions, state } = embedder().status()
  const isCurrent = (one: (typeof vectorModels)[number]): boolean =>
    one.provider === provider && one.model === model && (dimensions === null || one.dimensions === dimensions)
  const total = (some: typeof vectorModels) => some.reduce((sum, { count }) => sum + count, 0)
  const current = total(vectorModels.filter(isCurrent))
  const stale = state === 'off' ? 0 : total(vectorModels) - current
  return { current, stale, missing: Math.max(0, memories.alive - current) }
}

/** Excludes memories that the bundled model can't read: they stay without a vector (see queue.ts). */
function withoutUnreadable(
  { embedder }: Daemon,
  { givenUp }: DiagnosticsInput['survey'],
  vectors: Vectors,
): Vectors {
  if (embedder().status().provider !== 'static') return vectors
  return { ...vectors, missing: Math.max(0, vectors.missing - givenUp) }
}

function entryFindings({ stats, memories, lacking, samples, excess }: IndexState) {
  if (stats.state === 'rebuilding')
    return [
      finding({
        id: 'index',
        severity: 'info',
        evidence: `being rebuilt: ${stats.entries} of ${memories} memories`,
      }),
    ]
  const mend = { repair: 'check-fts', fix: 'memory repair check-fts' }
  const found = [
    ...(lacking === 0
      ? []
      : [
          finding({
            id: 'index-lacks',
            severity: 'error',
            evidence: `${countOf(lacking, 'memory', 'memories')} of ${memories} not in the index: searches do not find them`,
            count: lacking,
            samples,
            ...mend,
          }),
        ]),
    ...(excess === 0
      ? []
      : [
          finding({
            id: 'index-excess',
            severity: 'warning',
            evidence: `${countOf(excess, 'entry', 'entries')} in the index without a memory`,
            count: excess,
            ...mend,
          }),
        ]),
  ]
  if (found.length > 0) return found
  const mebibytes = (stats.bytes / 1024 / 1024).toFixed(1)
  return [
    fine(
      'index',
      `${countOf(stats.entries, 'memory', 'memories')}, ${countOf(stats.terms, 'term')}, ${mebibytes} MiB`,
    ),
  ]
}

function passageFindings(what: 'transcripts' | 'artifacts', { lacking }: PassageIndexState) {
  if (lacking === 0) return []
  return [
    finding({
      id: `${what}-index-lacks`,
      severity: 'warning',
      evidence: `${countOf(lacking, 'passage')} of ${what} not in their index: searches do not find them`,
      count: lacking,
      fix: 'memory daemon restart rebuilds it',
    }),
  ]
}

function vectorFindings({ embedder }: Daemon, stats: LiveStats, vectors: Vectors, alive: number) {
  const { state, available } = embedder().status()
  if (state === 'off' || vectors.missing === 0) return [fine('vectors', countOf(stats.vectors, 'vector'))]
  const waiting = `${countOf(vectors.missing, 'memory', 'memories')} without a vector`
  const found = [
    finding({
      id: 'vectors',
      severity: 'info',
      evidence: `${waiting}, ${available ? 'being made in the background' : 'made once the provider answers'}`,
      count: vectors.missing,
      // Recall finds them by keywords only.
      penalty: available ? Math.min(0.2, (0.2 * vectors.missing) / Math.max(1, alive)) : 0,
      repair: 're-embed',
    }),
  ]
  if (vectors.stale === 0) return found
  return [
    ...found,
    finding({
      id: 'stale-vectors',
      severity: 'info',
      evidence: `${countOf(vectors.stale, 'vector')} of another model than the current one, replaced in the background`,
      count: vectors.stale,
      repair: 're-embed-migration',
    }),
  ]
}

function damagedVectors({ damage }: DiagnosticsInput['survey']) {
  const memories = (count: number) => countOf(count, 'memory', 'memories')
  return [
    ...damageFinding(
      damage,
      'damaged-vectors',
      count => `${countOf(count, 'damaged vector')}: semantic search misses their memories`,
      { repair: 're-embed', fix: 'memory repair re-embed' },
    ),
    ...damageFinding(damage, 'mismarked-vectors', count => `${memories(count)} with a wrong vector mark`, {
      repair: 'resync-vectors',
      fix: 'memory repair resync-vectors',
    }),
    ...damageFinding(
      damage,
      'orphaned-memory-vectors',
      count => `${countOf(count, 'vector')} of deleted memories`,
      { repair: 'clean-orphans', fix: 'memory repair clean-orphans' },
    ),
  ]
}
