/** What is checked of each agent, in the order of the table. */
export const checks = {
  start: 'context at the start of a session reaches the model',
  prompt: 'context with a prompt reaches the model',
  tools: 'our tools are offered',
  store: 'the model saves by a tool',
  search: 'the model searches by a tool',
  resume: 'a resumed session goes on',
  end: 'the end of a run without a person ends the session',
  compaction: 'the summary of a compaction is kept once',
  afterCompaction: 'context comes back after a compaction',
  capture: 'what was said is stored, each turn once',
  quit: 'leaving the terminal ends the session',
  import: 'an import adds nothing twice',
  task: 'a task of the daemon gives it a prompt',
  disconnect: 'disconnecting gives every byte back',
} as const

export type CheckName = keyof typeof checks

export type Outcome =
  | { status: 'ok'; detail?: string }
  | { status: 'failed'; reason: string }
  | { status: 'not applicable'; reason: string }

export type Outcomes = Record<CheckName, Outcome>

export function ok(detail?: string): Outcome {
  return { status: 'ok', ...(detail !== undefined && { detail }) }
}

export function failed(reason: string): Outcome {
  return { status: 'failed', reason }
}

export function notApplicable(reason: string): Outcome {
  return { status: 'not applicable', reason }
}

/** Ok when nothing is wrong. */
export function unless(faults: readonly (string | false | undefined)[], detail?: string): Outcome {
  const reasons = faults.filter(fault => typeof fault === 'string')
  return reasons.length === 0 ? ok(detail) : failed(reasons.join('; '))
}
