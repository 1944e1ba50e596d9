import { z } from 'zod'
import {
  type Connections,
  type ConnectReply,
  connectHarness as contract,
  type EarlierSessionsReply,
  importEarlierSessions,
  listConnections,
} from '../../../contract/agents/harness-files.js'
import { AppError } from '../../../contract/ground/errors.js'
import type { Ground } from '../../ground/ground.js'
import { runExclusively } from '../programs/open-runs.js'
import { runCommand } from './run-command.js'

type Deps = Pick<Ground, 'store' | 'paths' | 'log' | 'environment'>

const connecting = {
  key: 'connections',
  busy: 'the coding agents are being looked at or connected; try again in a moment',
}
const importing = { key: 'earlier sessions', busy: 'the earlier sessions are being imported already' }

const planned = z.object({
  applied: z.boolean(),
  harnesses: z.array(contract.response.pick({ files: true, hints: true })),
  failures: z.array(z.object({ error: z.string() })),
})

/** Lists the coding agents that are on this machine, as `memory connect` does. */
export function connections(deps: Deps): Promise<Connections> {
  return runExclusively(deps, connecting, async signal => {
    const all = listConnections.response.parse(await runCommand(deps, ['connect'], signal))
    return { harnesses: all.harnesses.filter(({ state }) => state !== 'not-installed') }
  })
}

/**
 * Connects a coding agent, or shows what that changes (harnesses.md).
 * @throws AppError `conflict` with the reason if it cannot be connected
 */
export function connectOne(
  deps: Deps,
  { harness, dryRun }: z.infer<(typeof contract)['body']>,
): Promise<ConnectReply> {
  return runExclusively(deps, connecting, async signal => {
    const words = ['connect', harness, dryRun ? '--dry-run' : '--yes']
    const { applied, harnesses, failures } = planned.parse(await runCommand(deps, words, signal))
    const [failed] = failures
    if (failed) throw new AppError('conflict', failed.error)
    return {
      applied,
      files: harnesses.flatMap(({ files }) => files),
      hints: harnesses.flatMap(({ hints }) => hints),
    }
  })
}

/** Imports the earlier sessions of all coding agents on this machine, or counts them (transcripts.md). */
export function importEarlier(deps: Deps, dryRun: boolean): Promise<EarlierSessionsReply> {
  return runExclusively(deps, importing, async signal =>
    importEarlierSessions.response.parse(
      await runCommand(deps, ['import', ...(dryRun ? ['--dry-run'] : [])], signal),
    ),
  )
}
