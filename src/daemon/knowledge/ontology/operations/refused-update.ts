import { isAutonomous } from '../../../ground/visibility/caller.js'
import type { ContradictionAssessment } from '../../../memory/edit/contradiction.js'
import type { Outcome, Work } from '../model/operation.js'

/**
 * Why a memory is not updated or forgotten now (rules.md 1.5): what contradicts it stays blocked for everybody, and
 * nobody who acts on their own applies any. A person who decided on the proposal does.
 */
export function refusedUpdate(
  { caller, isDecided }: Pick<Work, 'caller' | 'isDecided'>,
  memoryId: string,
  { contradictionRisk }: ContradictionAssessment,
): Outcome | undefined {
  if (isDecided) return undefined
  if (contradictionRisk) return { status: 'blocked', why: 'contradiction', contradictionRisk, memoryId }
  if (isAutonomous(caller)) return { status: 'proposed', memoryId }
  return undefined
}
