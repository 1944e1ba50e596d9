import { realpathSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { Reply } from '../../../contract/api.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'
import { plainLine } from '../../text.js'
import type { DoctorContext, Outcome } from './finding.js'
import { ifAllowed } from './if-allowed.js'

type Config = Reply<'GET /api/update/config'>

/** An update that waits, or failed, and other copies of this program. @param env has the PATH of this terminal. */
export function checkUpdates(
  context: DoctorContext,
  _status: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  return ifAllowed(
    context.call('GET /api/update/config').then(config => outcomeOf(config, context, env)),
    one => one,
  )
}

function outcomeOf(config: Config, { remote, platform }: DoctorContext, env: NodeJS.ProcessEnv): Outcome {
  const { pendingRestartVersion: pending, lastAutoUpdateError: error, channel, autoInstall } = config
  if (pending)
    return {
      severity: 'warning',
      evidence: `${pending} is installed and waits for a restart`,
      fix: 'memory daemon restart',
    }
  if (autoInstall && error)
    return { severity: 'warning', evidence: `not updated: ${plainLine(error)}`, fix: 'memory update' }
  const copies = remote ? [] : copiesOn(env, platform)
  if (copies.length > 1)
    return {
      severity: 'warning',
      evidence: `${copies.length} copies of memory are on the PATH: ${copies.join(', ')}; an update changes one of them`,
      fix: `remove all but ${copies[0]}`,
    }
  return { severity: 'ok', evidence: `channel ${channel}, ${autoInstall ? 'by itself' : 'by memory update'}` }
}

/** Each place once, however many links and folders of the PATH lead there. */
function copiesOn(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter)
  const found = folders.flatMap(folder => findProgram({ env, platform }, 'memory', folder) ?? [])
  const byPlace = new Map(found.map(file => [realpathSync(file), file] as const).reverse())
  return [...byPlace.values()].reverse()
}
