import type { ExecutionContext } from 'ava'
import type { Extraction } from '../../src/daemon/ground/extraction/extraction.js'
import {
  createExtractor,
  type Extractor,
  type ReadingQueueOptions,
} from '../../src/daemon/ground/extraction/extractor.js'

export interface TestExtractor extends Extractor {
  /** Pids of the processes it started. */
  pids: number[]
  read(
    fileName: string,
    bytes: Uint8Array | string,
    more?: { contentType?: string; signal?: AbortSignal },
  ): Promise<Extraction>
}

/** Opens an extractor that is closed with the test. */
export function openExtractor(t: ExecutionContext, options: ReadingQueueOptions = {}): TestExtractor {
  const pids: number[] = []
  const extractor = createExtractor({ ...options, onStart: pid => pids.push(pid as number) })
  t.teardown(extractor.close)
  return {
    ...extractor,
    pids,
    read: (fileName, bytes, more) =>
      extractor.extract({
        bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
        fileName,
        ...more,
      }),
  }
}
