import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../../../contract/api.js'
import type { ExportAdapter, ImportAdapter } from '../../../contract/knowledge/import-adapters.js'
import { eachAtOnce } from '../../../lib/concurrency/one-at-a-time.js'
import { followedFiles } from '../../../lib/files/followed-files.js'
import { formatBytes } from '../../../lib/text/count-of.js'
import { CliError } from '../../shell/cli-error.js'
import { unreadablePath } from '../../shell/unreadable-path.js'
import { formatDuration } from '../../terminal/output.js'
import { startProgressBar } from '../../terminal/progress.js'
import { type CallDaemon, type UploadFile, uploadFile } from './upload-import.js'

export type ImportDetails = Reply<'GET /api/sources/imports/:jobId'>

const pollMs = 250
const ended = new Set(['completed', 'failed', 'cancelled', 'paused'])
/** Number of recent imports that are searched for an interrupted one. */
const searchedImports = 500
/** Maximum number of files per import. */
export const maxFiles = 10_000
/** Each part waits for a disk write, so parallel uploads speed up small files. */
const uploadsAtOnce = 4

/** File names of each export format in a folder. */
const endings: Readonly<Record<ExportAdapter, RegExp>> = {
  'service-export': /\.(?:jsonl|ndjson)$/iu,
  'chatgpt-export': /^conversations(?:-\d+)?\.json$/iu,
  'claude-export': /^conversations\.json$/iu,
  'gemini-takeout': /^MyActivity\.json$/iu,
}

const takeoutSteps =
  'at takeout.google.com choose My Activity, only Gemini Apps, and in its formats JSON instead of HTML'
/** Every Google product has a file of that name, in a folder of its own. */
const takeoutFolder = /[\\/](?:Gemini|Bard)[^\\/]*[\\/][^\\/]+$/iu

/**
 * Returns the files of a format at some paths, sorted by name; a file that is named itself may have any name.
 * @throws CliError `invalid_input` for an unreadable path, and if no file is found.
 */
export async function filesOf(paths: readonly string[], form: ExportAdapter): Promise<UploadFile[]> {
  const found: { path: string; bytes: number }[] = []
  for (const path of paths)
    try {
      const named = await stat(path)
      if (named.isFile()) await refuseZip(path)
      if (named.isFile()) found.push({ path, bytes: named.size })
      else found.push(...(await filesBelow(path, form)))
    } catch (cause) {
      throw cause instanceof CliError ? cause : unreadablePath(path, cause)
    }
  if (found.length === 0 || found.length > maxFiles)
    throw new CliError(
      found.length === 0
        ? `no ${form} files found at ${paths.join(', ')}`
        : `too many files: ${found.length}, at most ${maxFiles} per import`,
      { code: 'invalid_input', exit: 'usage', nextSteps: form === 'gemini-takeout' ? [takeoutSteps] : [] },
    )
  const names = new Map<string, number>()
  return found.map(file => ({ ...file, fileId: fileIdOf(file.path, names) }))
}

/** Exports arrive as zip archives, whose bytes would be rejected as records. */
async function refuseZip(path: string): Promise<void> {
  const handle = await open(path)
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.toString('latin1') !== 'PK\x03\x04') return
  } finally {
    await handle.close()
  }
  throw new CliError(`${path} is a zip archive; unpack it and name the folder with its files`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`unzip ${JSON.stringify(path)} -d export`],
  })
}

async function filesBelow(folder: string, form: ExportAdapter): Promise<{ path: string; bytes: number }[]> {
  const found = await followedFiles(folder, name => endings[form].test(name))
  const paths = found.filter(path => form !== 'gemini-takeout' || takeoutFolder.test(path)).sort()
  return Promise.all(paths.map(async path => ({ path, bytes: (await stat(path)).size })))
}

/** Returns the file's name in rejections; a number makes equal names unique. */
function fileIdOf(path: string, names: Map<string, number>): string {
  const name = basename(path)
    .replace(/[^\w.@+=~-]/gu, '_')
    .slice(0, 200)
  const earlier = names.get(name) ?? 0
  names.set(name, earlier + 1)
  return earlier === 0 ? name : `${name}~${earlier + 1}`
}

export interface ImportRequest {
  form: ImportAdapter
  files: readonly UploadFile[]
  agent: string | undefined
  /** Project of all its sessions; undefined if each record names its own. */
  project?: string | undefined
  /** Identifies an interrupted import on resumption; derived from the files by default. */
  name?: string
}

/**
 * Uploads files, starts their import and follows it to its end. An interrupted import of the same name is
 * resumed: uploaded parts are not sent again, and a started import accepts no more files.
 */
export async function importFiles(call: CallDaemon, request: ImportRequest): Promise<ImportDetails> {
  const job = await findOrCreateImport(call, request)
  const bar = startProgressBar()
  try {
    if (job.state === 'staging') {
      await uploadAll(call, { job, files: request.files, say: bar.update })
      await call('POST /api/sources/imports/:jobId/start', { params: { jobId: job.id } })
    }
    return await followImport(call, job.id, bar.update)
  } finally {
    bar.stop()
  }
}

type ReportProgress = (text: string, fraction?: number) => void

async function findOrCreateImport(call: CallDaemon, request: ImportRequest): Promise<ImportDetails> {
  const { form, files, agent, project, name = nameOf(form, files) } = request
  const open = await findOpen(call, name, request)
  if (open) return open
  const { id: jobId } = await call('POST /api/sources/imports', {
    body: {
      adapter: form,
      adapterVersion: 1,
      name,
      ...(project !== undefined && { project }),
      ...(agent !== undefined && { agentId: agent }),
    },
  })
  return call('GET /api/sources/imports/:jobId', { params: { jobId } })
}

async function findOpen(
  call: CallDaemon,
  name: string,
  { files, agent, project }: ImportRequest,
): Promise<ImportDetails | undefined> {
  const { jobs } = await call('GET /api/sources/imports', {
    query: { limit: searchedImports, agentId: agent },
  })
  const open = jobs.find(
    job =>
      job.name === name &&
      job.project === (project ?? null) &&
      !['completed', 'failed', 'cancelled'].includes(job.state),
  )
  if (!open) return undefined
  const params = { jobId: open.id }
  if (open.state === 'paused') await call('POST /api/sources/imports/:jobId/resume', { params })
  const job = await call('GET /api/sources/imports/:jobId', { params })
  const wanted = new Set(files.map(({ fileId }) => fileId))
  if (job.state !== 'staging' || job.files.every(file => file.sealed || wanted.has(file.fileId))) return job
  // The old import waits for the rest of a file that will not arrive.
  await call('POST /api/sources/imports/:jobId/cancel', { params })
  return undefined
}

/** Derives the same name from the same files, so that an interrupted import can be resumed. */
function nameOf(form: ImportAdapter, files: readonly UploadFile[]): string {
  const [first] = files
  const more = files.length > 1 ? ` and ${files.length - 1} more` : ''
  const what = `${basename(first?.path ?? '').slice(0, 150)}${more}`
  return importName(form, what, JSON.stringify(files.map(({ path, bytes }) => [path, bytes])))
}

/** @param what readable part of the name. @param of complete identity, which is hashed. */
export function importName(form: ImportAdapter, what: string, of: string): string {
  return `${form}: ${what} (${createHash('sha256').update(of).digest('hex').slice(0, 8)})`
}

async function uploadAll(
  call: CallDaemon,
  { job, files, say }: { job: ImportDetails; files: readonly UploadFile[]; say: ReportProgress },
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const known = new Map(job.files.map(file => [file.fileId, file]))
  const before = job.files.reduce((sum, { upload_offset }) => sum + upload_offset, 0)
  const rate = startRate(before)
  let doneBytes = 0
  const reportSent = (more: number): void => {
    doneBytes += more
    const { perSecond, left } = rate(doneBytes, total)
    say(
      `uploading ${formatBytes(doneBytes)} of ${formatBytes(total)}, ${formatBytes(Math.round(perSecond))}/s${left}`,
      total > 0 ? doneBytes / total : 1,
    )
  }
  await eachAtOnce(files, uploadsAtOnce, file => {
    let sentBytes = 0
    return uploadFile(call, {
      jobId: job.id,
      file,
      known: known.get(file.fileId),
      onBytes: bytes => {
        reportSent(bytes - sentBytes)
        sentBytes = bytes
      },
    })
  })
}

async function followImport(call: CallDaemon, jobId: string, say: ReportProgress): Promise<ImportDetails> {
  let rate: ReturnType<typeof startRate> | undefined
  for (;;) {
    const job = await call('GET /api/sources/imports/:jobId', { params: { jobId } })
    if (ended.has(job.state)) return job
    const done = job.total - job.pending
    rate ??= startRate(done)
    const { perSecond, left } = rate(done, job.total)
    if (job.state === 'active' && done > 0)
      say(`${done} of ${job.total} conversations, ${Math.round(perSecond)}/s${left}`, done / job.total)
    else
      say(
        job.state === 'active'
          ? `counting: ${job.total} conversations`
          : `${job.state}${job.error ? `: ${job.error}` : ''}`,
      )
    await delay(pollMs)
  }
}

/** Measures speed and remaining time from now on. */
function startRate(from: number) {
  const started = performance.now()
  return (at: number, total: number): { perSecond: number; left: string } => {
    const seconds = (performance.now() - started) / 1000
    const perSecond = seconds > 0 ? (at - from) / seconds : 0
    return { perSecond, left: perSecond > 0 ? `, ${formatDuration((total - at) / perSecond)} left` : '' }
  }
}
