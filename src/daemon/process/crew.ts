import type { Store } from '../../store/store.js'
import type { JobKind } from '../ground/jobs/job-kind.js'
import type { Daemon } from '../platform/daemon/daemon.js'
import type { Domain } from '../platform/domain.js'
import type { JobReport } from '../platform/jobs/job-meter.js'
import { releaseAllLeases } from '../platform/jobs/leases.js'
import type { DaemonEvent, Worker } from '../platform/jobs/worker.js'

/** All workers of a daemon. */
export interface Crew {
  start(): void
  /** Wakes the worker of a kind of job. @param subject as in `Worker` */
  wake(job: Pick<JobKind, 'kind'>, subject?: string): void
  tell(event: DaemonEvent): void
  busy(): boolean
  /** Reports of job kinds, by name. */
  jobReports(): ReadonlyMap<string, JobReport>
  /** True from the start of the workers until the stop. */
  isAtWork(): boolean
  /** Ends whatever keeps running requests open. */
  stopping(): void
  isStopping(): boolean
  close(): Promise<void>
}

/**
 * @param kinds every kind of job that is queued
 * @throws Error when a kind has no worker, or two: its jobs would wait forever or be done twice
 */
export function assembleCrew(workers: readonly Worker[], kinds: readonly JobKind[]): Crew {
  const byKind = new Map<string, Worker>()
  for (const worker of workers) {
    if (worker.kind === undefined) continue
    if (byKind.has(worker.kind)) throw new Error(`two workers do jobs of the kind ${worker.kind}`)
    byKind.set(worker.kind, worker)
  }
  const idle = kinds.filter(({ kind }) => !byKind.has(kind))
  if (idle.length > 0)
    throw new Error(`no worker does jobs of the kind ${idle.map(({ kind }) => kind).join(', ')}`)
  const life = { started: false, stopping: false }
  return {
    start: () => {
      life.started = true
      for (const worker of workers) worker.start()
    },
    wake: ({ kind }, subject) => byKind.get(kind)?.wake?.(subject),
    tell: event => {
      for (const worker of workers) worker.hear?.(event)
    },
    busy: () => workers.some(worker => worker.busy?.()),
    jobReports: () =>
      new Map([...byKind].flatMap(([kind, worker]) => (worker.report ? [[kind, worker.report()]] : []))),
    isAtWork: () => life.started && !life.stopping,
    isStopping: () => life.stopping,
    stopping: () => {
      life.stopping = true
      for (const worker of workers) worker.stopping?.()
    },
    close: async () => {
      await Promise.all(workers.map(worker => worker.close()))
    },
  }
}

async function isAlone({ tables: { nodes } }: Store): Promise<boolean> {
  return nodes.own === null || (await nodes.all()).every(({ id }) => id === nodes.own)
}

/** Finishes rows that ended daemons left; beside other daemons only those that name their daemon. */
export async function recoverRows(
  daemon: Daemon,
  domains: readonly Domain[],
  isAlone: boolean,
): Promise<void> {
  await daemon.store.tables.nodes.dropLost()
  for (const domain of domains) {
    await domain.recoverHeld?.(daemon)
    if (isAlone) await domain.recoverRows?.(daemon)
  }
}

/** Finishes work of the previous process; on a full disk this waits for space. */
export async function settleWork(daemon: Daemon, domains: readonly Domain[]): Promise<void> {
  try {
    await releaseAllLeases(daemon)
    for (const { recover } of domains) await recover?.(daemon)
    await recoverRows(daemon, domains, await isAlone(daemon.store))
  } catch (error) {
    if (!daemon.room.note(error)) throw error
  }
}
