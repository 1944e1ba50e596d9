import { rm } from 'node:fs/promises'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'

type Derived = 'snapshot' | 'artifactSnapshot' | 'transcriptSnapshot' | 'transcriptSegments'

/** Removes indexes of another state of the database; they are made again from its rows. */
export async function removeDerived(paths: Pick<WorkspacePaths, Derived>): Promise<void> {
  const files = [paths.snapshot, paths.artifactSnapshot, paths.transcriptSnapshot, paths.transcriptSegments]
  for (const file of files) await rm(file, { force: true, maxRetries: 5 })
}
