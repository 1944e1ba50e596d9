import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'undici'
import { renamePatiently } from '../../lib/files/patient-rename.js'
import { unusedProxy } from '../../lib/network/unused-proxy.js'
import { downloadFiles } from '../../lib/workspace/model-folder.js'
import type { EmbedderStatus } from './embedder.js'
import type { Fetch } from './outbound.js'
import { ProviderError } from './provider.js'

/** A version of a model whose bytes are known. */
interface PinnedModel {
  /** Commit of the hub. */
  revision: string
  /** SHA-256 of each file, in hex. */
  files: Readonly<Record<string, string>>
}

/**
 * Models whose files must have these bytes, whatever the hub says. Another model is checked against what its
 * hub says of it (embedding-model.md).
 */
export const pinnedModels: Readonly<Record<string, PinnedModel>> = {
  'Xenova/all-MiniLM-L6-v2': {
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    files: {
      'config.json': '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7',
      'tokenizer.json': 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      'tokenizer_config.json': '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      'onnx/model_quantized.onnx': 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    },
  },
}

export interface ModelDownload {
  model: string
  /** Receives the files only when all are complete. */
  folder: string
  /** Contains the partial download, from which the next attempt continues. */
  temporaryFolder: string
  /** The hub's origin; files are at `/{model}/resolve/{revision}/{file}`. */
  remoteHost: string
  fetch: Fetch
  signal: AbortSignal
  /** Maximum time without a byte before the download fails. */
  stallMs: number
  onProgress(progress: NonNullable<EmbedderStatus['progress']>): void
}

interface RemoteFile {
  name: string
  url: string
  size: number | null
  /** Checksum in hex: the pinned one, else that which the hub has for large files. */
  sha256: string | null
}

/**
 * Downloads a model into its folder. Files are collected in the temporary folder, verified by size and
 * checksum and then renamed, the weights last, so that a partial download never looks like a model.
 * @throws ProviderError naming the file and the reason; the signal's reason when aborted
 */
export async function downloadModel(download: ModelDownload): Promise<void> {
  const files: RemoteFile[] = []
  for (const name of downloadFiles) files.push(await describe(download, name))
  const sizes = files.map(file => file.size)
  const totalBytes = sizes.includes(null) ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  let earlierBytes = 0
  for (const file of files) {
    earlierBytes += await fetchFile(download, file, fileBytes =>
      download.onProgress({ loadedBytes: earlierBytes + fileBytes, totalBytes, file: file.name }),
    )
  }
  for (const { name } of files) {
    const target = join(download.folder, name)
    await mkdir(dirname(target), { recursive: true })
    await renamePatiently(join(download.temporaryFolder, name), target)
  }
  await rm(download.temporaryFolder, { recursive: true, force: true, maxRetries: 5 })
}

/** Requests size and checksum without the content; null when the hub does not send them. */
async function describe(download: ModelDownload, name: string): Promise<RemoteFile> {
  const pinned = Object.hasOwn(pinnedModels, download.model) ? pinnedModels[download.model] : undefined
  const revision = pinned?.revision ?? 'main'
  const url = `${download.remoteHost.replace(/(?<!\/)\/+$/u, '')}/${download.model}/resolve/${revision}/${name}`
  const { headers, status } = await head(download, url, name)
  const linkedSize = headers.get('x-linked-size')
  const size = linkedSize ?? (status < 300 ? headers.get('content-length') : null)
  const checksum = pinned?.files[name] ?? headers.get('x-linked-etag')?.replaceAll('"', '')
  return {
    name,
    url,
    size: size === null ? null : Number(size),
    sha256: checksum && /^[0-9a-f]{64}$/.test(checksum) ? checksum : null,
  }
}

/**
 * Follows redirects inside the hub, but not the one to its storage, as only that reply has size and checksum.
 */
async function head(download: ModelDownload, url: string, name: string, hops = 3): Promise<Response> {
  const response = await request(download, url, name, { method: 'HEAD', redirect: 'manual' })
  await response.body?.cancel()
  const location = response.headers.get('location')
  if (hops === 0 || !location?.startsWith('/') || response.headers.has('x-linked-size')) return response
  return head(download, new URL(location, url).href, name, hops - 1)
}

/** @returns the file's length in bytes, once it is complete in the temporary folder */
async function fetchFile(
  download: ModelDownload,
  file: RemoteFile,
  onBytes: (bytes: number) => void,
): Promise<number> {
  const target = join(download.temporaryFolder, file.name)
  const finished = await fileSize(target)
  if (finished !== null && (await isWhole(target, file))) return finished
  const part = `${target}.part`
  await mkdir(dirname(part), { recursive: true })
  await fetchPart(download, file, part, onBytes)
  if (!(await isWhole(part, file))) {
    await rm(part, { force: true, maxRetries: 5 })
    throw new ProviderError(`${file.name} arrived damaged (wrong length or checksum)`)
  }
  await renamePatiently(part, target)
  return (await fileSize(target)) ?? 0
}

/**
 * Resumes a part whose version (ETag) is known; restarts when the server has another version or does not
 * support ranges.
 */
async function fetchPart(
  download: ModelDownload,
  file: RemoteFile,
  part: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const versionFile = `${part}.etag`
  const version = await readFile(versionFile, 'utf8').catch(() => null)
  const start = version ? ((await fileSize(part)) ?? 0) : 0
  let bytes = start
  const stalled = new AbortController()
  const onStall = () => stalled.abort(new ProviderError(`no data for ${download.stallMs} ms`))
  const timer = setTimeout(onStall, download.stallMs)
  try {
    const signal = AbortSignal.any([download.signal, stalled.signal])
    const headers: Record<string, string> =
      start > 0 ? { range: `bytes=${start}-`, 'if-range': version! } : {}
    const response = await request({ ...download, signal }, file.url, file.name, { headers })
    const resumed = response.status === 206
    const etag = response.headers.get('etag')
    if (!resumed)
      await (etag ? writeFile(versionFile, etag) : rm(versionFile, { force: true, maxRetries: 5 }))
    if (!resumed) bytes = 0
    await writeChunks(response, part, resumed ? 'a' : 'w', chunkBytes => {
      timer.refresh()
      bytes += chunkBytes
      onBytes(bytes)
    })
    await rm(versionFile, { force: true, maxRetries: 5 })
  } catch (error) {
    // Discards a partial file that cannot be continued (it is complete, or the server refuses the range), so
    // that the next attempt starts over.
    if (bytes === start) await rm(versionFile, { force: true, maxRetries: 5 })
    if (download.signal.aborted || error instanceof ProviderError) throw error
    if (stalled.signal.aborted) throw stalled.signal.reason
    throw new ProviderError(`${file.name} was interrupted`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Writes chunk by chunk, so that a failure keeps the earlier ones. */
async function writeChunks(
  response: Response,
  path: string,
  flags: 'a' | 'w',
  onChunk: (bytes: number) => void,
): Promise<void> {
  const file = await open(path, flags)
  try {
    for await (const chunk of response.body ?? []) {
      await file.write(chunk)
      onChunk(chunk.length)
    }
    // Renamed files must be complete even after a power failure.
    await file.sync()
  } finally {
    await file.close()
  }
}

async function request(
  { fetch, model, signal, remoteHost }: ModelDownload,
  url: string,
  name: string,
  init: { method?: string; redirect?: 'manual'; headers?: Record<string, string> },
): Promise<Response> {
  // Compressed replies would make lengths and ranges meaningless.
  const headers = { ...init.headers, 'accept-encoding': 'identity' }
  const response = await fetch(url, { ...init, headers, signal }).catch(error => {
    if (signal.aborted) throw signal.reason
    throw new ProviderError(`${remoteHost} can't be reached${unusedProxy()}`, { cause: error })
  })
  if (response.status < 400) return response
  await response.body?.cancel()
  const hint = [401, 404].includes(response.status) ? `: is there a model "${model}" with this file?` : ''
  throw new ProviderError(`${remoteHost} answered ${response.status} for ${name}${hint}`)
}

async function isWhole(path: string, { size, sha256 }: RemoteFile): Promise<boolean> {
  if (size !== null && (await fileSize(path)) !== size) return false
  if (!sha256) return true
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex') === sha256
}

async function fileSize(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null
}
