import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { RestorePlan } from '../../../contract/operations/backup.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { isMovedByRestore, walk } from './archive/scope.js'
import {
  moveAll,
  obstacleFolder,
  readNote,
  readPlan,
  removePlan,
  rollBackRestore,
  sweepFolders,
  writeNote,
  writePlan,
} from './restore-files.js'

interface Deps {
  paths: WorkspacePaths
  clock: () => Date
  log: Logger
}

/**
 * Moves a prepared restore into the workspace before any of its files is opened; the caller holds the
 * workspace lock. The current files move out first, then the restored ones move in, each with one rename.
 * After a kill the next call continues, so whatever is read later belongs entirely to the old or to the new
 * workspace.
 * @throws node's error when a file can't be moved in; the next start continues.
 */
export async function applyRestore(deps: Deps): Promise<void> {
  const { paths, log } = deps
  const plan = readPlan(paths)
  if (!plan) {
    const note = existsSync(paths.restore) ? readNote(paths) : undefined
    return sweepFolders(paths, note ? [note.undo] : [])
  }
  if (plan.phase === 'prepared' && !(await moveWorkspaceAway(deps, plan))) return
  const incoming = join(paths.restore, plan.incoming)
  const { files } = await walk(incoming, () => true)
  await moveAll(incoming, paths.root, files, obstacleFolder(paths, plan.incoming))
  const before = readNote(paths)
  writeNote(paths, {
    id: plan.id,
    kind: plan.kind,
    at: deps.clock().toISOString(),
    memories: plan.memories,
    undo: plan.outgoing,
    undoMemories: plan.memoriesBefore,
  })
  await removePlan(paths)
  await sweepFolders(paths, [plan.outgoing])
  log.info({ id: plan.id, kind: plan.kind, replaced: before?.id }, 'backup restored')
}

/** @returns false when the old workspace could not be moved; it is then unchanged. */
async function moveWorkspaceAway({ paths, log }: Deps, plan: RestorePlan): Promise<boolean> {
  const outgoing = join(paths.restore, plan.outgoing)
  try {
    const { files } = await walk(paths.root, isMovedByRestore)
    await moveAll(paths.root, outgoing, files, obstacleFolder(paths, plan.incoming))
  } catch (error) {
    log.error({ err: error }, 'restore cancelled: the workspace could not be moved away')
    await rollBackRestore(paths, plan)
    await removePlan(paths)
    return false
  }
  writePlan(paths, { ...plan, phase: 'placing' })
  return true
}
