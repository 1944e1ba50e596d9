import type { z } from 'zod'
import type { GitConfig, setGitConfig } from '../../../contract/operations/git.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { gitOf } from './git-of-daemon.js'
import { isRepository } from './repository.js'

/** The active git settings, and whether the workspace is a repository. */
export function configOf(daemon: Pick<Daemon, 'paths' | 'configuration'>): GitConfig {
  return { enabled: isRepository(daemon), ...daemon.configuration().settings.git }
}

/**
 * Writes the given settings to agent.yaml; they take effect at once, including the timer.
 * @throws AppError `conflict` while that file is faulty.
 */
export async function changeConfig(
  daemon: Daemon,
  body: z.infer<(typeof setGitConfig)['body']>,
): Promise<{ success: boolean; config: GitConfig }> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  if (given.length > 0)
    await daemon.changeSettings(Object.fromEntries(given.map(([key, value]) => [`git.${key}`, value])))
  if (body.autoSync !== undefined || body.syncInterval !== undefined || body.autoCommit !== undefined)
    gitOf(daemon).restartTimer()
  return { success: true, config: configOf(daemon) }
}
