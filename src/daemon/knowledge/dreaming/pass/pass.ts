import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Mode, OntologyDeps, OperationScope } from '../../ontology/model/operation.js'
import { readerOf } from '../../ontology/model/reader.js'
import type { DreamReader, PassBudget, PassTokens } from '../reader.js'

export type DreamingPassDeps = OntologyDeps &
  Pick<
    Daemon,
    | 'environment'
    | 'telemetry'
    | 'paths'
    | 'hooksInFlight'
    | 'budget'
    | 'inference'
    | 'background'
    | 'projects'
  >

/**
 * Stops a pass early: a pause, another mode, the kill switch, or the end of the daemon. It does not count as
 * an attempt.
 */
export class PassStopped extends Error {
  constructor(readonly code: 'closing' | 'not_open') {
    super(`dreaming stopped: ${code}`)
  }
}

/** Converts an abort to its reason for stopping a pass; the default is the end of the daemon. */
export function stopReasonOf({ reason }: AbortSignal): PassStopped {
  if (reason instanceof PassStopped) return reason
  return new PassStopped(reason instanceof PipelinePaused ? 'not_open' : 'closing')
}

/** Author of what passes change. */
export const pipelineActor = 'pipeline-v2'

/** A running pass. */
export interface DreamingPass {
  deps: DreamingPassDeps
  id: string
  /** Author of its changes. */
  caller: Caller
  reader: DreamReader
  budget: PassBudget & { told(): PassTokens }
  isShadow: boolean
  counts: Counts
  signal: AbortSignal
  mayGoOn(): boolean
}

/**
 * Yields to hooks in progress and to other work.
 * @throws PassStopped
 */
export async function breathe({ deps, signal, mayGoOn }: DreamingPass): Promise<void> {
  await deps.hooksInFlight.quiet(signal)
  await deps.budget.breathe()
  if (signal.aborted) throw stopReasonOf(signal)
  if (!mayGoOn()) throw new PassStopped('not_open')
}

/** Returns the scope of a pass: the agent's own ontology, read with the agent's own access. */
export function scopeOf({ caller }: DreamingPass, agentId: string, project: string | null): OperationScope {
  const own = { ...caller, agentId }
  return {
    caller: own,
    reader: readerOf(own, { agentId }),
    place: { project: project ?? undefined, sessionKey: undefined },
  }
}

/** Returns the mode of an operation; in shadow mode nothing is applied or proposed. */
export function modeOf({ isShadow }: DreamingPass, isSure: boolean): Mode {
  if (isShadow) return 'shadow'
  return isSure ? 'apply' : 'propose'
}

/** Counts the texts read in a pass and the outcomes of operations and attentions, by name. */
export class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string, by = 1): void {
    if (by > 0) this.#counts.set(name, this.get(name) + by)
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts)
  }
}
