import { everyFewMs } from '../../../../lib/concurrency/every-few-ms.js'
import { hashInSlices } from '../../../../lib/files/hash-in-slices.js'
import { headingsBelow } from '../../../ground/chunks/blocks.js'
import { chunksOf } from '../../../ground/chunks/chunks.js'
import { type Mark, pageOf } from '../../../ground/extraction/extraction.js'
import { scanTextsInSlices } from '../../../safety/late-scan.js'
import type { SafetyVerdict } from '../../../safety/scan.js'
import type { ReadArtifact } from './kind.js'

/** A chunk ready to be written. */
export interface PreparedChunk {
  heading: string | null
  page: string | null
  text: string
  safety: SafetyVerdict['status']
}

/** An artifact after chunking, hashing and the safety scan, ready to be written. */
export interface PreparedArtifact {
  read: ReadArtifact
  contentHash: string
  verdict: SafetyVerdict
  chunks: PreparedChunk[]
}

/** Chunks, hashes and scans an artifact in slices, outside any transaction (sources.md#artifacts). */
export async function prepareArtifact(read: ReadArtifact): Promise<PreparedArtifact> {
  const { title, names = [] } = read
  const searched = read.searched ?? { text: searchableText(read), marks: read.marks }
  const contentHash = await hashOf(read)
  const cut = await chunksOf<Mark>({ title, ...searched })
  const chunks = cut.map(({ path, content, from }) => ({
    heading: headingsBelow(title, path),
    page: pageOf(from),
    text: content,
    safety: 'clean' as const,
  }))
  const kept = read.searched ? [read.text] : []
  const verdict = await scanTextsInSlices([title ?? '', ...names, searched.text, ...kept])
  if (verdict.status === 'clean') return { read, contentHash, verdict, chunks }
  return { read, contentHash, verdict, chunks: await scanChunks(read, chunks, verdict) }
}

/** Scans each chunk of an unsafe artifact, so that only the chunks to blame are hidden from agents. */
async function scanChunks(
  { title, names = [] }: Pick<ReadArtifact, 'title' | 'names'>,
  chunks: readonly PreparedChunk[],
  verdict: SafetyVerdict,
): Promise<PreparedChunk[]> {
  const breathe = everyFewMs()
  const judged: PreparedChunk[] = []
  for (const [position, chunk] of chunks.entries()) {
    const further = position === 0 ? names : []
    const texts = [title ?? '', chunk.heading ?? '', ...further, chunk.text]
    const { status } = await scanTextsInSlices(texts, breathe)
    judged.push({ ...chunk, safety: status })
  }
  // Unsafe text that spans two chunks cannot be assigned to one: hide all of them.
  if (judged.every(({ safety }) => safety === 'clean'))
    return judged.map(chunk => ({ ...chunk, safety: verdict.status }))
  return judged
}

/** An empty note can still be found by its name. */
function searchableText({ text, title, names = [], path }: ReadArtifact): string {
  return text.trim() === '' ? (title ?? names[0] ?? path) : text
}

function hashOf({ title, names = [], author, text }: ReadArtifact): Promise<string> {
  return hashInSlices(`${JSON.stringify([title, names, author ?? null])}\n`, text)
}
