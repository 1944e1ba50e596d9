import type { z } from 'zod'
import {
  checkIntervalRange,
  type setUpdateConfig,
  type UpdateState,
} from '../../../contract/operations/updates.js'
import { runningKeys } from '../../agents/programs/runs.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { pendingVersion, readRecord } from './update-state.js'

type Deps = Pick<Daemon, 'store' | 'configuration' | 'paths' | 'version'>
type Body = z.infer<(typeof setUpdateConfig)['body']>
type Reply = z.infer<(typeof setUpdateConfig)['response']>

/** Allows one installation at a time. */
export const updateLock = {
  key: 'update',
  busy: 'an update is being installed; try again when it has finished',
}

/** Update settings and the last results. */
export async function updateStateOf(deps: Deps): Promise<UpdateState> {
  return {
    ...configOf(deps),
    minInterval: checkIntervalRange.min,
    maxInterval: checkIntervalRange.max,
    ...(await lastResults(deps)),
    updateInProgress: runningKeys(deps, updateLock.key).length > 0,
  }
}

/**
 * Writes the given settings to agent.yaml, keeping its comments; they take effect at once.
 * @throws AppError `conflict` while that file is faulty
 */
export async function changeUpdateConfig(
  deps: Deps & Pick<Daemon, 'changeSettings'>,
  body: Body,
): Promise<Reply> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  if (given.length > 0)
    await deps.changeSettings(Object.fromEntries(given.map(([key, value]) => [`update.${key}`, value])))
  return { success: true, config: configOf(deps), persisted: given.length > 0, ...(await lastResults(deps)) }
}

function configOf({ configuration }: Pick<Deps, 'configuration'>): Reply['config'] {
  const { autoCheck, autoInstall, checkInterval, channel } = configuration().settings.update
  return { autoCheck, autoInstall, checkInterval, channel }
}

async function lastResults(
  deps: Deps,
): Promise<Pick<Reply, 'pendingRestartVersion' | 'lastAutoUpdateAt' | 'lastAutoUpdateError'>> {
  const { lastAutoUpdateAt, lastAutoUpdateError } = readRecord(deps)
  return { pendingRestartVersion: await pendingVersion(deps), lastAutoUpdateAt, lastAutoUpdateError }
}
