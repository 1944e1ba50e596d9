import { locate } from '../../../client/daemon/locate.js'
import type { Request } from '../../../contract/api.js'
import { harnessProducts, harnessProgramNames, taskHarness } from '../../../contract/ground/wire-names.js'
import { commandWords } from '../../../lib/text/shell-words.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'

export type TaskHarness = NonNullable<Request<'POST /api/tasks'>['body']>['harness']

/** Returns the product and the program that a task starts. The program of a task over ACP is in the task. */
export function startedBy({ harness, acp }: { harness: TaskHarness; acp: { command: string } | null }): {
  product: string
  program: string
} {
  const own = acp && commandWords(acp.command)[0]
  return own
    ? { product: own, program: own }
    : { product: harnessProducts[harness], program: harnessProgramNames[harness] }
}

export const programNames: readonly string[] = Object.values(harnessProgramNames)

/** Returns the API's name of a program. @param program one of `programNames`. */
export function harnessOf(program: string): TaskHarness {
  const found = Object.entries(harnessProgramNames).find(([, known]) => known === program)
  return (found?.[0] ?? taskHarness.claudeCode) as TaskHarness
}

/** Returns true if a program is on this terminal's PATH; undefined if the daemon runs on another machine. */
export function isOnPath(program: string, workspace: string | undefined): boolean | undefined {
  if (locate(workspace).kind === 'remote') return undefined
  return findProgram({ env: process.env, platform: process.platform }, program) !== undefined
}

/** Returns a note for the user if the agent's program is missing; otherwise undefined. */
export function missingNote(program: string, workspace: string | undefined): string | undefined {
  if (isOnPath(program, workspace) !== false) return undefined
  return `${program} is not on the PATH of this terminal; runs fail until it is installed`
}
