import type { Reply } from '../../contract/api.js'
import type { LogAdapter } from '../../contract/knowledge/import-adapters.js'
import { countOf } from '../../lib/text/count-of.js'
import { importFiles, importName, maxFiles } from '../knowledge/import/transcripts.js'
import type { CallDaemon } from '../knowledge/import/upload-import.js'
import { plainLine } from '../terminal/text.js'
import type { PickedLogs, SessionLog } from './session-logs.js'

/** Result of importing the logs of a harness. */
export interface LogsImport {
  from: LogAdapter
  dryRun: boolean
  /** Number of logs found. */
  sessions: number
  imported: number
  messages: number
  /** Skipped, because their content was already imported or captured. */
  duplicate: number
  /** Logs without messages. */
  empty: number
  unchanged: number
  live: number
  failed: { path: string; reason: string }[]
  /** Parts that the imported sessions lack, by kind. */
  leftOut: { kind: string; count: number; message: string }[]
  /** Ids of the imports. */
  imports: string[]
  /** State of the import that did not complete, or null. */
  stopped: string | null
}

export interface LogsToImport {
  from: LogAdapter
  /** Searched paths. */
  paths: readonly string[]
  agent: string | undefined
  project: string | undefined
}

/** Returns the planned import without starting it. */
export function plannedImport(from: LogAdapter, { wanted, unchanged, live }: PickedLogs): LogsImport {
  return {
    from,
    dryRun: true,
    sessions: wanted.length + unchanged + live,
    imported: wanted.length,
    messages: 0,
    duplicate: 0,
    empty: 0,
    unchanged,
    live,
    failed: [],
    leftOut: [],
    imports: [],
    stopped: null,
  }
}

/**
 * Uploads and imports logs. An interrupted import of the same paths is resumed first; logs that it lacks, or
 * has in a shorter version, go into another import.
 */
export async function importLogs(
  call: CallDaemon,
  { from, paths, agent, project }: LogsToImport,
  picked: PickedLogs,
): Promise<LogsImport> {
  const sum: LogsImport = { ...plannedImport(from, picked), dryRun: false, imported: 0 }
  const name = importName(from, `sessions in ${paths.join(', ')}`.slice(0, 180), JSON.stringify(paths))
  for (let left = picked.wanted; left.length > 0; ) {
    const files = left.slice(0, maxFiles)
    const job = await importFiles(call, { form: from, files, agent, project, name })
    sum.imported += job.imported
    sum.messages += job.messages
    sum.duplicate += job.duplicate
    sum.imports.push(job.id)
    sum.leftOut.push(...job.leftOut)
    if (job.rejected > 0) await addRejections(call, sum, job.id, picked.wanted)
    if (job.state !== 'completed') return { ...sum, stopped: job.state }
    const read = new Map(job.files.map(({ fileId, upload_size }) => [fileId, upload_size]))
    left = left.filter(({ fileId, bytes }) => read.get(fileId) !== bytes)
  }
  return sum
}

type Rejections = Reply<'GET /api/sources/imports/:jobId/rejections'>

async function addRejections(
  call: CallDaemon,
  sum: LogsImport,
  jobId: string,
  logs: readonly SessionLog[],
): Promise<void> {
  const paths = new Map(logs.map(({ fileId, path }) => [fileId, path]))
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const page: Rejections = await call('GET /api/sources/imports/:jobId/rejections', {
      params: { jobId },
      query: { cursor },
    })
    // A harness that was opened and closed leaves empty logs.
    for (const { fileId, reason, message } of page.rejections)
      if (reason === 'missing_messages') sum.empty++
      else sum.failed.push({ path: paths.get(fileId) ?? fileId, reason: message })
    cursor = page.nextCursor
  }
}

export function logsText(sum: LogsImport): string {
  const { dryRun, imported, messages, duplicate, empty, unchanged, live, failed, leftOut, imports, stopped } =
    sum
  const last = imports.at(-1)
  return [
    dryRun
      ? `Would import ${countOf(imported, 'session')}`
      : `Imported ${countOf(imported, 'session')}${messages > 0 ? ` with ${countOf(messages, 'message')}` : ''}`,
    ...(duplicate > 0 ? [`  ${duplicate} skipped: already saved`] : []),
    ...(unchanged > 0 ? [`  ${unchanged} skipped: already imported (--all imports them again)`] : []),
    ...(live > 0 ? [`  ${live} skipped: still running, captured when they end`] : []),
    ...(empty > 0 ? [`  ${empty} skipped: no messages`] : []),
    ...failed.map(({ path, reason }) => `  ${plainLine(path)}: ${plainLine(reason)}`),
    ...leftOut.map(({ message }) => `  left out: ${message}`),
    ...(stopped === null ? [] : [`  The import is ${stopped}. Details: memory imports show ${last}`]),
  ].join('\n')
}
