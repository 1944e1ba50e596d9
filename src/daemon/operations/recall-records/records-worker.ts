import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Has what waits written down at the end. */
export function createRecordsWorker({ recallRecorder }: Pick<Daemon, 'recallRecorder'>): Worker {
  return { start: () => undefined, close: () => recallRecorder.close() }
}
