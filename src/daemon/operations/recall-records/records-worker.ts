import type { Daemon } from '../../platform/daemon/daemon.js'
import type { Worker } from '../../platform/jobs/worker.js'

/** Writes the buffered records when the daemon stops. */
export function createRecordsWorker({ recallRecorder }: Pick<Daemon, 'recallRecorder'>): Worker {
  return { start: () => undefined, close: () => recallRecorder.close() }
}
