import { locate } from '../../../client/daemon/locate.js'
import type { Request } from '../../../contract/api.js'
import { harnessProducts, taskHarness } from '../../../contract/ground/wire-names.js'
import { findProgram } from '../../sessions/connect/entries/machine.js'

export type TaskHarness = NonNullable<Request<'POST /api/tasks'>['body']>['harness']

/** What people call the harnesses of tasks, by the words of the API. */
export const programs: Readonly<Record<TaskHarness, { product: string; program: string }>> = {
  [taskHarness.claudeCode]: { product: harnessProducts[taskHarness.claudeCode], program: 'claude' },
  [taskHarness.codex]: { product: harnessProducts[taskHarness.codex], program: 'codex' },
  [taskHarness.openCode]: { product: harnessProducts[taskHarness.openCode], program: 'opencode' },
}

export const programNames = Object.values(programs).map(({ program }) => program)

/** The word of the API for a program. @param program one of `programNames`. */
export function harnessOf(program: string): TaskHarness {
  const found = Object.entries(programs).find(([, known]) => known.program === program)
  return (found?.[0] ?? taskHarness.claudeCode) as TaskHarness
}

/** Whether a program is on the PATH of this terminal; nobody knows of a daemon on another machine. */
export function isHere(program: string, workspace: string | undefined): boolean | undefined {
  if (locate(workspace).kind === 'remote') return undefined
  return findProgram({ env: process.env, platform: process.platform }, program) !== undefined
}

/** What a person is told whose agent is missing; undefined when it is here. */
export function missingNote(program: string, workspace: string | undefined): string | undefined {
  if (isHere(program, workspace) !== false) return undefined
  return `${program} is not on the PATH of this terminal: the task fails until the daemon finds it`
}
