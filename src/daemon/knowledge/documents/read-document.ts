import { basename } from 'node:path'
import { decoded } from '../../../lib/network/decoded.js'
import type { DocumentRow } from '../../../store/tables/knowledge/documents.js'
import type { Mark } from '../../ground/extraction/extraction.js'
import { fetchUrl } from '../../ground/fetch/fetch-url.js'
import { FetchFault } from '../../ground/fetch/guarded-lookup.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { fencedManifest, manifestKind } from '../files/manifest-kind.js'
import { DocumentFault } from './document-fault.js'
import { readLocalFile } from './local-file.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'configuration' | 'extractor'>

/** The extracted text of a document. */
export interface DocumentText {
  text: string
  /** True if the text has no headings, fences or tables. */
  plain: boolean
  /** The document's own title, or its file name. */
  title: string | null
  contentType: string | null
  /** Null if the text says its charset, or is UTF-8. */
  guessedCharset: string | null
  /** Pages and sheets, ordered by position. */
  marks: readonly Mark[]
}

const nothing = { text: '', plain: true, contentType: null, guessedCharset: null, marks: [] } as const

interface RawDocument {
  bytes: Buffer
  fileName: string | undefined
  contentType: string | undefined
}

/**
 * Loads and extracts the text of a document.
 * @throws DocumentFault if it has no readable text
 */
export async function readDocument(
  deps: Deps,
  document: DocumentRow,
  signal: AbortSignal,
): Promise<DocumentText> {
  const { bytes, fileName, contentType } = await sourceOf(deps, document, signal)
  const isManifest = fileName !== undefined && manifestKind(fileName) !== undefined
  const read = await deps.extractor.extract({
    bytes,
    fileName: isManifest ? `${fileName}.txt` : (fileName ?? 'the text'),
    ...(contentType !== undefined && !isManifest && { contentType }),
    signal,
  })
  const isFile = document.source_type === 'file'
  if (read.status === 'failed') {
    // An empty file is valid, but an empty web page means that the download went wrong.
    if (isFile && read.reason === 'empty') return { ...nothing, title: fileName ?? null }
    throw new DocumentFault(read.message)
  }
  return {
    // Dreaming reads manifests of projects line by line (sources.md#manifests-of-projects).
    text: isManifest ? fencedManifest(read.markdown) : read.markdown,
    plain: read.format === 'text' && !isManifest,
    title: read.title ?? (isFile ? (fileName ?? null) : null),
    contentType: contentType ?? null,
    guessedCharset: read.guessedCharset ?? null,
    marks: read.marks,
  }
}

async function sourceOf(
  deps: Deps,
  { id, source_type, source_url, content_type }: DocumentRow,
  signal: AbortSignal,
): Promise<RawDocument> {
  const given = content_type ?? undefined
  const fileName = source_type === 'file' && source_url ? basename(source_url) : undefined
  const parts = await deps.store.tables.documents.textOf(id)
  if (parts.length > 0) {
    // Text in a request is Markdown unless it has another content type.
    const contentType = given ?? (fileName === undefined ? 'text/markdown' : undefined)
    return { bytes: Buffer.concat(parts.map(part => Buffer.from(part))), fileName, contentType }
  }
  if (source_type === 'file' && source_url)
    return { bytes: await readLocalFile(deps, source_url), fileName, contentType: given }
  if (source_type === 'url' && source_url) return fetchSource(deps, source_url, given, signal)
  throw new DocumentFault('its text is missing; add it again')
}

async function fetchSource(
  { configuration }: Deps,
  address: string,
  given: string | undefined,
  signal: AbortSignal,
): Promise<RawDocument> {
  const { allowPrivateHosts: allowPrivate } = configuration().settings.documents
  try {
    const { bytes, contentType, url } = await fetchUrl(address, { allowPrivate, signal })
    const name = basename(new URL(url).pathname)
    return { bytes, fileName: (decoded(name) ?? name) || undefined, contentType: given ?? contentType }
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error
    throw new DocumentFault(error.message, { isPassing: error.isPassing, cause: error })
  }
}
