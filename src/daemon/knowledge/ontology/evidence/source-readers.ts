import type { SourceKind } from '../../../../contract/knowledge/ontology-operations.js'
import { artifactSource } from './artifact-source.js'
import { memorySource } from './memory-source.js'
import type { SourceReader } from './source.js'
import { summarySource } from './summary-source.js'
import { transcriptSource } from './transcript-source.js'

/** Every kind of source that evidence may be drawn from. */
const readers: readonly SourceReader[] = [memorySource, transcriptSource, summarySource, artifactSource]

export function sourceReaderOf(kind: SourceKind): SourceReader {
  return readers.find(reader => reader.kind === kind) as SourceReader
}
