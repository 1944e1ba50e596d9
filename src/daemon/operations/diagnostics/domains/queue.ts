import type { DomainReport } from '../../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../../lib/text/count-of.js'
import { embedJob } from '../../../ground/embedding/embed-now.js'
import { ageSec, type DiagnosticsInput, finding, fine, scored } from '../findings/finding.js'

type Queue = DomainReport<'queue'>
type Kind = Queue['byKind'][number]

/** A job that waited this long is stuck. */
const longWaitSec = 3600
/** Kinds that wait for something external: a provider, a model, a person. */
const patient = new Set(['embed', 'source_vectors', 'transcript-import', 'dreaming'])

/** Health of the job queue. */
export function queueDomain({ survey, now, daemon }: DiagnosticsInput): Queue {
  const byKind = kindsOf(survey.jobs, now)
  const sum = (field: 'pending' | 'leased' | 'completed' | 'dead') =>
    byKind.reduce((total, kind) => total + kind[field], 0)
  const [pending, leased, completed, dead] = [sum('pending'), sum('leased'), sum('completed'), sum('dead')]
  const ages = byKind.flatMap(({ oldestAgeSec }) => oldestAgeSec ?? [])
  return {
    ...scored([
      fine('jobs', `${countOf(pending, 'job')} waiting, ${leased} running, ${completed} completed recently`),
      ...deadFindings(byKind, completed, {
        // The bundled model reads English only: a memory it can't read is not a fault.
        unread: daemon.embedder().status().provider === 'static' ? survey.givenUp : undefined,
      }),
      ...leaseFindings(survey.staleLeases),
      ...waitFindings(byKind),
    ]),
    depth: pending + leased,
    pending,
    leased,
    completed,
    dead,
    oldestAgeSec: ages.length > 0 ? Math.max(...ages) : null,
    deadRate: dead + completed === 0 ? 0 : dead / (dead + completed),
    leaseAnomalies: survey.staleLeases,
    byKind,
  }
}

type JobState = 'pending' | 'leased' | 'completed' | 'dead'

function kindsOf(jobs: DiagnosticsInput['survey']['jobs'], now: Date): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const { kind, status, count, oldest } of jobs) {
    const known = kinds.get(kind) ?? {
      kind,
      pending: 0,
      leased: 0,
      completed: 0,
      dead: 0,
      oldestAgeSec: null,
    }
    known[status as JobState] = count
    if (status === 'pending' || status === 'leased')
      known.oldestAgeSec = Math.max(known.oldestAgeSec ?? 0, ageSec(now, oldest) ?? 0)
    kinds.set(kind, known)
  }
  return [...kinds.values()]
}

/** @param unread number of memories without a vector when that is not a fault; undefined when it is */
function deadFindings(
  byKind: readonly Kind[],
  completed: number,
  { unread }: { unread: number | undefined },
) {
  const isFault = ({ kind }: Kind) => unread === undefined || kind !== embedJob.kind
  const given = byKind.filter(kind => kind.dead > 0 && isFault(kind))
  const dead = given.reduce((sum, kind) => sum + kind.dead, 0)
  const words =
    unread !== undefined && unread > 0
      ? [
          fine(
            'unread',
            `${countOf(unread, 'memory', 'memories')} found by keywords only: the bundled model reads English`,
          ),
        ]
      : []
  if (dead === 0) return words
  const named = given.map(kind => `${kind.dead} of ${kind.kind}`)
  return [
    ...words,
    finding({
      id: 'dead-jobs',
      severity: 'warning',
      evidence: `${countOf(dead, 'job')} failed after all attempts (${named.join(', ')}), ${completed} completed`,
      count: dead,
      repair: 'requeue-dead',
      fix: 'memory repair requeue-dead',
    }),
  ]
}

function leaseFindings(stale: number) {
  if (stale === 0) return []
  return [
    finding({
      id: 'stale-leases',
      severity: 'warning',
      evidence: `${countOf(stale, 'job')} running for more than five minutes: the worker hangs`,
      count: stale,
      repair: 'release-leases',
      fix: 'memory repair release-leases',
    }),
  ]
}

function waitFindings(byKind: readonly Kind[]) {
  return byKind
    .filter(
      ({ kind, oldestAgeSec, pending }) =>
        pending > 0 && !patient.has(kind) && (oldestAgeSec ?? 0) > longWaitSec,
    )
    .map(({ kind, pending }) =>
      finding({
        id: 'waiting-jobs',
        severity: 'warning',
        evidence: `${countOf(pending, 'job')} of ${kind} waiting for more than an hour`,
        count: pending,
        fix: 'memory daemon logs',
      }),
    )
}
