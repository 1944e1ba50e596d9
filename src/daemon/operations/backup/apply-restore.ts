import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { RestorePlan } from '../../../contract/operations/backup.js'
import type { WorkspacePaths } from '../../../lib/workspace/paths.js'
import { makesWay, walk } from './archive/scope.js'
import {
  keptBeside,
  moveAll,
  readNote,
  readPlan,
  removePlan,
  sweepFolders,
  takeBack,
  writeNote,
  writePlan,
} from './restore-files.js'

interface Deps {
  paths: WorkspacePaths
  clock: () => Date
  log: Logger
}

/**
 * Takes a restore that was prepared into the workspace, before anything of it is opened; the caller holds the workspace.
 * What is there moves away first, then what comes moves in, each file in one step. A kill in between is made up for by
 * the next call: there is either the old workspace or the new one by the time that anything is read.
 * @throws node's error when a file can't be moved in; the next start goes on with it.
 */
export async function applyRestore(deps: Deps): Promise<void> {
  const { paths, log } = deps
  const plan = readPlan(paths)
  if (!plan) {
    const note = existsSync(paths.restore) ? readNote(paths) : undefined
    return sweepFolders(paths, note ? [note.undo] : [])
  }
  if (plan.phase === 'prepared' && !(await makeWay(deps, plan))) return
  const incoming = join(paths.restore, plan.incoming)
  const { files } = await walk(incoming, () => true)
  await moveAll(incoming, paths.root, files, keptBeside(paths, plan.incoming))
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
  log.info({ id: plan.id, kind: plan.kind, replaced: before?.id }, 'a backup was restored')
}

/** @returns false when the old workspace could not be moved; it is as it was then. */
async function makeWay({ paths, log }: Deps, plan: RestorePlan): Promise<boolean> {
  const outgoing = join(paths.restore, plan.outgoing)
  try {
    const { files } = await walk(paths.root, makesWay)
    await moveAll(paths.root, outgoing, files, keptBeside(paths, plan.incoming))
  } catch (error) {
    log.error({ err: error }, 'nothing is restored: the workspace could not be moved away')
    await takeBack(paths, plan)
    await removePlan(paths)
    return false
  }
  writePlan(paths, { ...plan, phase: 'placing' })
  return true
}
