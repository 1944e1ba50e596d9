import type { QueueName } from '../../../contract/operations/pipeline.js'
import { embedJob } from '../../ground/embedding/embed-now.js'
import { codeIndexJob } from '../../knowledge/code/job.js'
import { ingestJob } from '../../knowledge/documents/job.js'
import { dreamingJob } from '../../knowledge/dreaming/schedule/dreaming-worker.js'
import { chunkVectorsJob } from '../../knowledge/sources/core/embed-chunks.js'
import { importJob } from '../../knowledge/transcript-import/job.js'
import { captureJob } from '../../sessions/capture/capture-worker.js'
import { synthesisJob } from '../../sessions/synthesis/synthesis-worker.js'

/** What jobs of a kind are told under: their worker, and the queue that they wait in (operations.md 6.1). */
export interface ToldKind {
  kind: string
  worker: string
  queue: QueueName
}

/** Every kind of job. */
export const toldKinds: readonly ToldKind[] = [
  { kind: embedJob.kind, worker: 'embedding', queue: 'memory' },
  { kind: dreamingJob.kind, worker: 'dreaming', queue: 'memory' },
  { kind: captureJob.kind, worker: 'capture', queue: 'summary' },
  { kind: synthesisJob.kind, worker: 'synthesis', queue: 'summary' },
  { kind: ingestJob.kind, worker: 'document', queue: 'document' },
  { kind: chunkVectorsJob.kind, worker: 'source', queue: 'source' },
  { kind: codeIndexJob.kind, worker: 'code', queue: 'source' },
  { kind: importJob.kind, worker: 'import', queue: 'import' },
]
