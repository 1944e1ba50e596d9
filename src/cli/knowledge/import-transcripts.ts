import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../../contract/api.js'
import type { ImportAdapter } from '../../contract/knowledge/import-adapters.js'
import { CliError } from '../cli-error.js'
import { formatBytes, formatDuration } from '../output.js'
import { startProgressBar } from '../progress-bar.js'
import { type CallDaemon, type ImportedFile, uploadFile } from './upload-import.js'

export type ImportDetails = Reply<'GET /api/sources/imports/:jobId'>

const pollMs = 250
const ended = new Set(['completed', 'failed', 'cancelled', 'paused'])
/** Imports that are looked through for one that was broken off. */
const looked = 500
const maxFiles = 10_000

/** Which files of a folder a form has. */
const endings: Readonly<Record<ImportAdapter, RegExp>> = {
  'service-export': /\.(?:jsonl|ndjson)$/iu,
  'chatgpt-export': /^conversations(?:-\d+)?\.json$/iu,
  'claude-export': /^conversations\.json$/iu,
  'claude-code': /^(?!agent-).*\.jsonl$/u,
  codex: /^rollout-.*\.jsonl$/u,
  gemini: /^session-.*\.jsonl?$/u,
  opencode: /\.json$/iu,
}

/**
 * Files of a form at some paths, in the order of their names; a file that is named is taken whatever it is called.
 * @throws CliError `invalid_input` for a path that can't be read, and when there is none at all.
 */
export async function filesOf(paths: readonly string[], form: ImportAdapter): Promise<ImportedFile[]> {
  const found: { path: string; bytes: number }[] = []
  for (const path of paths)
    try {
      const named = await stat(path)
      if (named.isFile()) found.push({ path, bytes: named.size })
      else found.push(...(await below(path, form)))
    } catch (cause) {
      throw new CliError(`cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, {
        code: 'invalid_input',
        exit: 'usage',
        cause,
      })
    }
  if (found.length === 0 || found.length > maxFiles)
    throw new CliError(
      found.length === 0
        ? `there are no files of ${form} at ${paths.join(', ')}`
        : `these are ${found.length} files, one import takes ${maxFiles}`,
      { code: 'invalid_input', exit: 'usage' },
    )
  const names = new Map<string, number>()
  return found.map(file => ({ ...file, fileId: fileIdOf(file.path, names) }))
}

async function below(folder: string, form: ImportAdapter): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(entry => entry.isFile() && endings[form].test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  return Promise.all(paths.map(async path => ({ path, bytes: (await stat(path)).size })))
}

/** The name of the file, by which rejections name it; a number keeps those of one name apart. */
function fileIdOf(path: string, names: Map<string, number>): string {
  const name = basename(path)
    .replace(/[^\w.@+=~-]/gu, '_')
    .slice(0, 200)
  const earlier = names.get(name) ?? 0
  names.set(name, earlier + 1)
  return earlier === 0 ? name : `${name}~${earlier + 1}`
}

/**
 * Uploads files, starts their import and follows it to its end. The same files again go on with an import that was
 * broken off.
 */
export async function importFiles(
  call: CallDaemon,
  { form, files, agent }: { form: ImportAdapter; files: readonly ImportedFile[]; agent: string | undefined },
): Promise<ImportDetails> {
  const job = await findOrBegin(call, { form, files, agent })
  const bar = startProgressBar()
  try {
    if (job.state === 'staging') {
      await uploadAll(call, { job, files, say: bar.update })
      await call('POST /api/sources/imports/:jobId/start', { params: { jobId: job.id } })
    }
    return await follow(call, job.id, bar.update)
  } finally {
    bar.stop()
  }
}

type Say = (text: string, fraction?: number) => void

async function findOrBegin(
  call: CallDaemon,
  { form, files, agent }: { form: ImportAdapter; files: readonly ImportedFile[]; agent: string | undefined },
): Promise<ImportDetails> {
  const name = nameOf(form, files)
  const { jobs } = await call('GET /api/sources/imports', { query: { limit: looked, agentId: agent } })
  const open = jobs.find(
    job => job.name === name && !['completed', 'failed', 'cancelled'].includes(job.state),
  )
  const { id } =
    open ??
    (await call('POST /api/sources/imports', {
      body: { adapter: form, adapterVersion: 1, name, ...(agent !== undefined && { agentId: agent }) },
    }))
  const jobId = id
  if (open?.state === 'paused') await call('POST /api/sources/imports/:jobId/resume', { params: { jobId } })
  return call('GET /api/sources/imports/:jobId', { params: { jobId } })
}

/** The same for the same files, so that an import that was broken off is found again. */
function nameOf(form: ImportAdapter, files: readonly ImportedFile[]): string {
  const [first] = files
  const hash = createHash('sha256')
    .update(JSON.stringify(files.map(({ path, bytes }) => [path, bytes])))
    .digest('hex')
    .slice(0, 8)
  const more = files.length > 1 ? ` and ${files.length - 1} more` : ''
  return `${form}: ${basename(first?.path ?? '').slice(0, 150)}${more} (${hash})`
}

async function uploadAll(
  call: CallDaemon,
  { job, files, say }: { job: ImportDetails; files: readonly ImportedFile[]; say: Say },
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const known = new Map(job.files.map(file => [file.fileId, file]))
  const before = job.files.reduce((sum, { upload_offset }) => sum + upload_offset, 0)
  const rate = startRate(before)
  let done = 0
  for (const file of files) {
    await uploadFile(call, {
      jobId: job.id,
      file,
      known: known.get(file.fileId),
      onBytes: bytes => {
        const at = done + bytes
        const { perSecond, left } = rate(at, total)
        say(
          `uploading ${formatBytes(at)} of ${formatBytes(total)}, ${formatBytes(Math.round(perSecond))}/s${left}`,
          at / total,
        )
      },
    })
    done += file.bytes
  }
}

async function follow(call: CallDaemon, jobId: string, say: Say): Promise<ImportDetails> {
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

/** How fast something goes since it began, and how long it still takes. */
function startRate(from: number) {
  const started = performance.now()
  return (at: number, total: number): { perSecond: number; left: string } => {
    const seconds = (performance.now() - started) / 1000
    const perSecond = seconds > 0 ? (at - from) / seconds : 0
    return { perSecond, left: perSecond > 0 ? `, ${formatDuration((total - at) / perSecond)} left` : '' }
  }
}
