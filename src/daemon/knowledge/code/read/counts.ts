import type { CodeReads } from '../../../../store/tables/knowledge/code-reads.js'

/** Counts files by outcome. */
export function countsOf(reads: CodeReads): { files: number; failed: number; skipped: number } {
  const rows = reads.filesByStatus()
  const sum = (...wanted: readonly string[]): number =>
    rows.reduce((total, { status, files }) => total + (wanted.includes(status) ? files : 0), 0)
  return { files: sum('indexed', 'partial'), failed: sum('failed'), skipped: sum('skipped') }
}
