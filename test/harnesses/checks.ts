/** The checks of each agent, in the order of the table. */
export const checks = {
  start: 'context at the start of a session reaches the model',
  startText: 'a start gives exactly what memory preview shows',
  prompt: 'context with a prompt reaches the model',
  tools: 'our tools are offered',
  store: 'the model saves with a tool',
  search: 'the model searches with a tool',
  resume: 'a resumed session continues',
  end: 'the end of an unattended run ends the session',
  compaction: 'a compaction summary is stored once',
  afterCompaction: 'context comes back after a compaction',
  capture: 'the conversation is stored, each turn once',
  quit: 'quitting the terminal ends the session',
  import: 'an import adds no duplicates',
  missed: 'the first prompt brings what a missed start owes, once',
  subagent: 'a sub-agent starts with the rules, in 250 tokens',
  fork: 'a fork gets nothing twice',
  command: 'a custom command is stored as it was typed',
  work: 'edits and test runs of a session are stored, and the next session sees which tests failed',
  task: 'a task of the daemon prompts it',
  acp: 'a task over ACP prompts it, and its session has our tools',
  plugin: 'its plug-in works alone, is never added twice, and leaves nothing',
  disconnect: 'disconnecting restores every byte',
} as const

/** The reason of a check that was left out. */
export const notAsked = 'not asked for'

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

/** Ok when nothing failed. */
export function unless(faults: readonly (string | false | undefined)[], detail?: string): Outcome {
  const reasons = faults.filter(fault => typeof fault === 'string')
  return reasons.length === 0 ? ok(detail) : failed(reasons.join('; '))
}
