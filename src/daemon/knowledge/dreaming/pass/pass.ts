import { PipelinePaused } from '../../../ground/jobs/background-work.js'
import type { Caller } from '../../../ground/visibility/caller.js'
import type { Daemon } from '../../../platform/daemon/daemon.js'
import type { Mode, OntologyDeps, Scope } from '../../ontology/model/operation.js'
import { readerOf } from '../../ontology/model/reader.js'
import type { DreamReader, PassBudget, PassTokens } from '../reader.js'

export type PassDeps = OntologyDeps &
  Pick<
    Daemon,
    'environment' | 'telemetry' | 'paths' | 'hooksInFlight' | 'budget' | 'inference' | 'background'
  >

/** A pass ends before its end: a pause, another mode, the kill switch, or the end of the daemon. It is no attempt. */
export class PassStopped extends Error {
  constructor(readonly code: 'closing' | 'not_open') {
    super(`dreaming stopped: ${code}`)
  }
}

/** Why a signal that is aborted ends a pass: what it was aborted with, else the end of the daemon. */
export function stoppedBy({ reason }: AbortSignal): PassStopped {
  if (reason instanceof PassStopped) return reason
  return new PassStopped(reason instanceof PipelinePaused ? 'not_open' : 'closing')
}

/** One pass on its way. */
export interface Pass {
  deps: PassDeps
  id: string
  /** Author of what it writes. */
  caller: Caller
  reader: DreamReader
  budget: PassBudget & { told(): PassTokens }
  isShadow: boolean
  counts: Counts
  signal: AbortSignal
  mayGoOn(): boolean
}

/** Waits for hooks that somebody waits for, and for other work. @throws PassStopped */
export async function breathe({ deps, signal, mayGoOn }: Pass): Promise<void> {
  await deps.hooksInFlight.quiet(signal)
  await deps.budget.breathe()
  if (signal.aborted) throw stoppedBy(signal)
  if (!mayGoOn()) throw new PassStopped('not_open')
}

/** In whose ontology a pass writes: as that agent, by what it holds itself. */
export function scopeOf({ caller }: Pass, agentId: string, project: string | null): Scope {
  const own = { ...caller, agentId }
  return {
    caller: own,
    reader: readerOf(own, { agentId }),
    place: { project: project ?? undefined, sessionKey: undefined },
  }
}

/** How an operation is asked for; in the shadow nothing is applied and nobody is asked. */
export function modeOf({ isShadow }: Pass, isSure: boolean): Mode {
  if (isShadow) return 'shadow'
  return isSure ? 'apply' : 'propose'
}

/** What a pass did, by name: pieces that it looked at, and what became of operations and attentions. */
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
