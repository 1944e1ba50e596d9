import { sep } from 'node:path'
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import { clip } from '../../../lib/text/clip.js'
import { countOf } from '../../../lib/text/count-of.js'
import { type Colors, formatTable } from '../../terminal/output.js'
import type { Machine } from './entries/machine.js'
import { detect } from './harnesses.js'
import type { Plan, PlanPart } from './plan.js'
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
  /** A text for a person to enter in the harness's settings. */
  printed?: string
  /** Our plug-in in the harness, which makes entries unnecessary. */
  plugin?: { id: string; remove: string }
  files: { path: string; action: 'create' | 'change' | 'remove'; diff: string }[]
  hints: string[]
}

export function reportOf(machine: Machine, plan: Plan): PlanReport {
  const { harness, options, program, changes, printed, plugin } = plan
  return {
    harness: harness.name,
    title: harness.title,
    installed: detect(harness, machine).isInstalled,
    scope: options.scope,
    transport: options.transport,
    command: program.memory,
    ...(printed !== undefined && { printed }),
    ...(plugin && { plugin }),
    files: changes.map(change => ({ path: change.path, action: actionOf(change), diff: diffOf(change) })),
    hints: hintsOf(machine, { harness, options, changes }),
  }
}

interface PlanTextOptions {
  verb: 'connect' | 'disconnect'
  colors: Colors
  /** Includes the source of a plugin; otherwise its place is named. */
  withSources?: boolean
}

/**
 * Formats the plan for a person: the harness found, the chosen program, and the exact change of each file.
 */
export function planText(machine: Machine, plan: Plan, options: PlanTextOptions): string {
  const { verb, colors, withSources = false } = options
  if (plan.printed !== undefined) return `${colors.bold(plan.harness.title)}\n${plan.printed}`
  const heading = [headingOf(machine, plan, colors)]
  if (plan.plugin) {
    const { id, remove } = plan.plugin
    return [
      ...heading,
      `Already connected by its plug-in ${id}, nothing to change. To connect it here instead: ${remove}`,
    ].join('\n')
  }
  if (plan.changes.length === 0) {
    return [
      ...heading,
      verb === 'connect' ? 'Already connected, nothing to change' : 'Not connected, nothing to change',
    ].join('\n')
  }
  if (verb === 'connect') heading.push(colors.dim(programOf(plan)))
  const sources = new Set(plan.parts.filter(({ kind }) => kind === 'plugin').map(({ path }) => path))
  const changes = plan.changes.map(change =>
    sources.has(change.path) && !withSources
      ? colors.dim(`${change.path}: the source of our plugin, ${countOf(linesOf(change), 'line')}`)
      : paintDiff(diffOf(change), colors),
  )
  return [...heading, ...changes].join('\n')
}

function headingOf(machine: Machine, { harness }: Plan, colors: Colors): string {
  const { isInstalled, evidence } = detect(harness, machine)
  const found = isInstalled ? `found: ${evidence}` : `not found on this machine: ${evidence}`
  return `${colors.bold(harness.title)}  ${colors.dim(found)}`
}

function programOf({ program }: Plan): string {
  return `hooks call ${program.memory.join(' ')} (${program.reason})`
}

function linesOf({ before, after }: FileChange): number {
  return (after ?? before ?? '').toString().trimEnd().split('\n').length
}

/**
 * Formats the plan in three lines: the harness found, the meaning of the changes, and the chosen program.
 */
export function planSummary(machine: Machine, plan: Plan, options: PlanTextOptions): string {
  if (plan.changes.length === 0) return planText(machine, plan, options)
  const { verb, colors } = options
  return [
    headingOf(machine, plan, colors),
    `  ${sentenceOf(plan, machine.home)}`,
    ...(verb === 'connect' ? [`  ${colors.dim(programOf(plan))}`] : []),
  ].join('\n')
}

/** Says what the plan does, such as `adds 7 hooks to ~/.claude/settings.json, 1 MCP server to ...`. */
function sentenceOf({ changes, parts }: Plan, home: string): string {
  const short = (path: string) => (path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path)
  const clauses = changes.flatMap(({ path }) => {
    const ofFile = parts.filter(part => part.path === path)
    // Files that only describe a plugin are part of it.
    if (ofFile.length > 0 && ofFile.every(({ count }) => count === 0)) return []
    const verbs = [...new Set(ofFile.map(({ verb }) => verb))]
    if (verbs.length === 0) return [`restores ${short(path)}`]
    return verbs.map(verb => {
      const what = ofFile.filter(part => part.verb === verb).map(nameOf)
      return `${verb} ${listed(what)} ${verb === 'adds' ? 'to' : verb === 'updates' ? 'in' : 'from'} ${short(path)}`
    })
  })
  // The verb is not repeated.
  return clauses
    .map((clause, n) => {
      const [verb = ''] = clause.split(' ')
      return n > 0 && clauses[n - 1]?.startsWith(`${verb} `) ? clause.slice(verb.length + 1) : clause
    })
    .join(', ')
}

function nameOf({ kind, count }: PlanPart): string {
  if (kind === 'trust') return 'your trust in our hooks'
  if (kind === 'consent') return 'your consent to these hooks'
  return countOf(count, kind === 'hooks' ? 'hook' : kind)
}

function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ')
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
  'by-hand': 'by hand',
  plugin: 'by plug-in',
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
