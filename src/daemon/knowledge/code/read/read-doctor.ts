import { createHash } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from '../../../../contract/api.js'
import { readForeignSync } from '../../../../lib/files/open-foreign.js'
import { maxFileBytes } from '../index/listing/refusal.js'
import type { OpenIndex } from './open-index.js'
import { countsOf } from './read-status.js'

type Doctor = Reply<'GET /api/code/doctor'>
type StaleFile = Doctor['stale'][number]

/** Entries per list. */
const mostShown = 100
/** Limit of files hashed because only their time changed; further ones count as changed. */
const mostHashed = 200

/**
 * Lists unreadable files, files changed since indexing, and the parser of each language (code-index.md 9).
 */
export function readDoctor(index: OpenIndex): Doctor {
  const { root, reads, about } = index
  const statuses = reads.filesByStatus()
  const { failed: failedTotal } = countsOf(reads)
  const partial = statuses.find(({ status }) => status === 'partial')?.files ?? 0
  const stale = staleFiles(index)
  const problems =
    about.state === 'ready' ? [] : ['the last run was interrupted; memory code index resumes it']
  return {
    project: root,
    ok: failedTotal === 0 && stale.length === 0 && problems.length === 0,
    failed: reads.filesWanting(mostShown).map(({ path, reason, message }) => ({
      path,
      reason: [reason, message].filter(Boolean).join(': '),
    })),
    failedTotal: failedTotal + partial,
    skipped: statuses
      .filter(({ status }) => status === 'skipped')
      .map(({ reason, files }) => ({ reason: reason ?? 'skipped', files })),
    stale: stale.slice(0, mostShown),
    staleTotal: stale.length,
    languages: reads.languages(),
    problems,
  }
}

function staleFiles({ root, reads }: OpenIndex): StaleFile[] {
  const stale: StaleFile[] = []
  let hashed = 0
  for (const { path, size, mtime_ms: mtimeMs, hash } of reads.filesRead()) {
    const file = join(root, path)
    const found = statOf(file)
    if (!found) stale.push({ path, change: 'gone' })
    else if (found.size !== size) stale.push({ path, change: 'changed' })
    else if (Math.trunc(found.mtimeMs) !== mtimeMs && (++hashed > mostHashed || hashOf(file) !== hash))
      stale.push({ path, change: 'changed' })
  }
  return stale
}

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch {
    // A path below a file, or in a forbidden folder, is unreadable, too.
    return undefined
  }
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('sha256')
      .update(readForeignSync(file, { maxBytes: maxFileBytes }))
      .digest('hex')
  } catch {
    return undefined
  }
}
