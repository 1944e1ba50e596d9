import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { clip } from '../../../lib/text/clip.js'
import { type Colors, formatTable } from '../../terminal/output.js'
import type { Machine } from './entries/machine.js'
import { detect } from './harnesses.js'
import type { Plan } from './plan.js'
import { type FileChange, readBytes, textOf } from './settings-files.js'
import type { ConnectionState, HarnessState } from './state.js'

const contextLines = 3

/** Unchanged lines are cut to this width: some settings files contain whole conversations in a line. */
const widestContext = 200

/** Beyond this many changed lines a comparison would take seconds; the diff then replaces the whole file. */
const mostEdits = 2000

/** Control characters that could manipulate the terminal. */
const driving = /[\p{Cc}\u202a-\u202e\u2066-\u2069](?<![\n\t])/gu

/** A plan in the output of `--json`. */
export interface PlanReport {
  harness: string
  title: string
  installed: boolean
  scope: string
  transport: string
  /** Words with which the harness starts our program. */
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

/**
 * Formats the plan for a person: the harness found, the chosen program, and the exact change of each file.
 */
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
    return [
      ...heading,
      verb === 'connect' ? 'Already connected, nothing to change' : 'Not connected, nothing to change',
    ].join('\n')
  }
  if (verb === 'connect')
    heading.push(colors.dim(`hooks call ${plan.program.memory.join(' ')} (${plan.program.reason})`))
  return [...heading, ...plan.changes.map(change => paintDiff(diffOf(change), colors))].join('\n')
}

/** Formats notes to read after connecting. */
export function hintsText({ harness }: Plan, hints: readonly string[], colors: Colors): string {
  return hints.map(hint => `${colors.dim(`${harness.title}:`)} ${hint}`).join('\n')
}

/** Lists harnesses with the state of our entries, and the next step. */
export function statesText(states: readonly HarnessState[], colors: Colors): string {
  const rows = states.map(({ harness, state, evidence, outdatedFiles }) => [
    harness,
    stateWords[state],
    state === 'outdated' ? `needs an update: ${outdatedFiles.join(', ')}` : evidence,
  ])
  return formatTable(['agent', 'state', 'details'], rows, colors)
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

/** Returns the notes for the state after the plan. */
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

/**
 * Returns a unified diff of one file with three lines of context; '' without differences.
 * @param path appears in both headings; `/dev/null` replaces it for a missing file.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const [old, text] = [before ?? '', after ?? '']
  const hunks =
    hunksOf(old, text, mostEdits) ?? [hunksOf(old, ''), hunksOf('', text)].filter(Boolean).join('\n')
  const headings = [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
  ]
  return [...headings, ...(hunks === '' ? [] : [hunks])].join('\n')
}

/** @param maxEditLength returns undefined if more lines differ. */
function hunksOf(
  before: string,
  after: string,
  maxEditLength = Number.POSITIVE_INFINITY,
): string | undefined {
  const options = { context: contextLines, stripTrailingCr: true, headerOptions: OMIT_HEADERS, maxEditLength }
  return createTwoFilesPatch('', '', before, after, undefined, undefined, options)?.replace(/\n$/u, '')
}

/** Colours a diff: additions green, removals red, positions cyan, headings bold. */
export function paintDiff(diff: string, colors: Colors): string {
  return diff
    .replace(driving, '\uFFFD')
    .split('\n')
    .map(line => {
      if (line.startsWith('--- ') || line.startsWith('+++ ')) return colors.bold(line)
      if (line.startsWith('@@')) return colors.cyan(line)
      if (line.startsWith('+')) return colors.green(line)
      return line.startsWith('-') ? colors.red(line) : clip(line, widestContext)
    })
    .join('\n')
}
