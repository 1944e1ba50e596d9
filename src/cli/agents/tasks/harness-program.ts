import { locate } from '../../../client/daemon/locate.js'
import type { Request } from '../../../contract/api.js'
import { harnessProducts, taskHarness } from '../../../contract/ground/wire-names.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'

export type TaskHarness = NonNullable<Request<'POST /api/tasks'>['body']>['harness']

/** Product and program names of the harnesses for tasks, by their names in the API. */
export const programs: Readonly<Record<TaskHarness, { product: string; program: string }>> = {
  [taskHarness.claudeCode]: { product: harnessProducts[taskHarness.claudeCode], program: 'claude' },
  [taskHarness.codex]: { product: harnessProducts[taskHarness.codex], program: 'codex' },
  [taskHarness.openCode]: { product: harnessProducts[taskHarness.openCode], program: 'opencode' },
}

export const programNames = Object.values(programs).map(({ program }) => program)

/** Returns the API's name of a program. @param program one of `programNames`. */
export function harnessOf(program: string): TaskHarness {
  const found = Object.entries(programs).find(([, known]) => known.program === program)
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
