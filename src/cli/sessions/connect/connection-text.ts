import type { Colors } from '../../terminal/output.js'
import { formatTable } from '../../terminal/output.js'
import type { Machine } from './entries/machine.js'
import { detect } from './harnesses.js'
import { paintDiff, unifiedDiff } from './line-diff.js'
import type { Plan } from './plan.js'
import { type FileChange, readBytes, textOf } from './settings-files.js'
import type { ConnectionState, HarnessState } from './state.js'

/** A plan as `--json` prints it. */
export interface PlanReport {
  harness: string
  title: string
  installed: boolean
  scope: string
  transport: string
  /** Words that the harness starts us with. */
  command: readonly string[]
  files: { path: string; action: 'create' | 'change' | 'remove'; diff: string }[]
  hints: string[]
}

export function reportOf(machine: Machine, { harness, options, program, changes }: Plan): PlanReport {
  return {
    harness: harness.name,
    title: harness.title,
    installed: detect(harness, machine).isInstalled,
    scope: options.scope,
    transport: options.transport,
    command: program.memory,
    files: changes.map(change => ({ path: change.path, action: actionOf(change), diff: diffOf(change) })),
    hints: hintsOf(machine, { harness, options, changes }),
  }
}

/** The plan for a person: what was found, what is chosen, and the exact change of each file. */
export function planText(
  machine: Machine,
  plan: Plan,
  options: { verb: 'connect' | 'disconnect'; colors: Colors },
): string {
  const { verb, colors } = options
  const { isInstalled, evidence } = detect(plan.harness, machine)
  const found = isInstalled ? `found: ${evidence}` : `not found on this machine: ${evidence}`
  const heading = [`${colors.bold(plan.harness.title)}  ${colors.dim(found)}`]
  if (plan.changes.length === 0) {
    return [...heading, verb === 'connect' ? 'is connected as it should be' : 'has nothing of ours'].join(
      '\n',
    )
  }
  if (verb === 'connect')
    heading.push(colors.dim(`hooks call ${plan.program.memory.join(' ')} (${plan.program.reason})`))
  return [...heading, ...plan.changes.map(change => paintDiff(diffOf(change), colors))].join('\n')
}

/** What a person has to know once the harness is connected. */
export function hintsText({ harness }: Plan, hints: readonly string[], colors: Colors): string {
  return hints.map(hint => `${colors.dim(`${harness.title}:`)} ${hint}`).join('\n')
}

/** Harnesses with what they have of ours, and what to do next. */
export function statesText(states: readonly HarnessState[], colors: Colors): string {
  const rows = states.map(({ harness, state, evidence, outdatedFiles }) => [
    harness,
    stateWords[state],
    state === 'outdated' ? `to change: ${outdatedFiles.join(', ')}` : evidence,
  ])
  return formatTable(['harness', 'state', 'details'], rows, colors)
}

const stateWords: Readonly<Record<ConnectionState, string>> = {
  'not-installed': 'not installed',
  installed: 'installed',
  connected: 'connected',
  outdated: 'outdated entry',
  unreadable: 'unreadable settings',
}

function actionOf({ before, after }: FileChange): 'create' | 'change' | 'remove' {
  if (!before) return 'create'
  return after ? 'change' : 'remove'
}

function diffOf({ path, before, after }: FileChange): string {
  return unifiedDiff(path, before && textOf(before), after && textOf(after))
}

/** As things are once the plan is carried out. */
function hintsOf(
  machine: Machine,
  { harness, options: { scope }, changes }: Pick<Plan, 'harness' | 'options' | 'changes'>,
): string[] {
  const read = (file: string) => {
    const change = changes.find(({ path }) => path === file)
    return (change ? change.after : readBytes(file))?.toString('utf8') ?? ''
  }
  const obstacles = harness.obstacles?.(machine, scope, read) ?? []
  return [
    ...harness.hints(machine, scope, read),
    ...obstacles.map(({ what, remedy }) => `${what}: ${remedy}`),
  ]
}
