import { basename, relative } from 'node:path'
import { ClientError } from '../../../client/http/client-error.js'
import { eachAtOnce } from '../../../lib/concurrency/one-at-a-time.js'
import { clip } from '../../../lib/text/clip.js'
import { countOf, formatBytes } from '../../../lib/text/count-of.js'
import { shortenHome } from '../../../lib/workspace/paths.js'
import { outcomeOf, type SubmittedDocument, submitDocument } from '../../knowledge/documents/add-document.js'
import type { CallDaemon } from '../../knowledge/import/upload-import.js'
import { followSource } from '../../knowledge/sources/follow-source.js'
import type { PlanReport } from '../../sessions/connect/connection-text.js'
import type { connector } from '../../sessions/connect/connector.js'
import { detect, harnesses } from '../../sessions/connect/harnesses.js'
import { importLogs } from '../../sessions/import-logs.js'
import { pickLogs } from '../../sessions/session-logs.js'
import { type Colors, onTerminal } from '../../terminal/output.js'
import { startProgressBar } from '../../terminal/progress.js'
import { plainLine } from '../../terminal/text.js'
import type { EarlierSessions, ProjectDocuments } from './find-on-machine.js'
import type { LearnedProject } from './learned-facts.js'

/** Something that setup offers to do. */
export interface SetupStep {
  id: 'agents' | 'sessions' | 'notes' | 'documents'
  title: string
  /** Findings and the change of each, at most three lines for each finding. */
  lines: readonly string[]
  question: string
  /** More about the change, and the word for the key that shows it. */
  details?: { word: string; text: (colors: Colors) => Promise<string> }
  /** Does it. @returns what was done, one per line. */
  run: () => Promise<string[]>
}

/** Newest sessions of each agent that setup imports, so that it ends within a minute or two. */
const mostSessions = 200
/** Documents that setup adds. */
const mostDocuments = 200
const documentsAtOnce = 8

type Connector = Awaited<ReturnType<typeof connector>>

/** A step in the output of `--json`. */
export interface SetupOutcome {
  step: SetupStep['id']
  title: string
  found: readonly string[]
  state: 'planned' | 'skipped' | 'done' | 'failed'
  done?: readonly string[]
  error?: string
}

const longestFact = 160

/** Formats what a step found and would change. */
export function stepText({ title, lines }: SetupStep, colors: Colors): string {
  return [colors.bold(plainLine(title)), ...lines.flatMap(line => onTerminal(`  ${plainLine(line)}`))].join(
    '\n',
  )
}

/** Formats what a step did. */
export function summaryText(lines: readonly string[], colors: Colors): string {
  return lines
    .flatMap((line, at) => {
      const [first = '', ...others] = onTerminal(plainLine(line))
      return [at === 0 ? `${colors.green('✓')} ${first}` : `  ${first}`, ...others.map(other => `  ${other}`)]
    })
    .join('\n')
}

/** Formats what was learned, and what to try next. */
export function endText(
  { steps, learned }: { steps: readonly SetupStep[]; learned: LearnedProject | undefined },
  colors: Colors,
): string {
  const facts = learned?.facts ?? []
  const heading =
    facts.length === 0
      ? ['Nothing is known about your projects yet.']
      : [
          colors.bold(
            `Here ${facts.length === 1 ? 'is' : 'are'} ${countOf(facts.length, 'thing')} I now know about ${plainLine(learned?.name ?? '')}`,
          ),
        ]
  return [
    ...(steps.length === 0 ? ['Nothing new to set up.', ''] : []),
    ...heading,
    ...facts.flatMap(({ text, source }, index) => {
      const end = colors.dim(`(from ${source})`)
      return onTerminal(`  ${index + 1}  ${clip(plainLine(text), longestFact)} ${end}`)
    }),
    '',
    colors.bold('Try'),
    ...tries(facts.length > 0).map(([command, what]) => `  ${command.padEnd(34)}  ${colors.dim(what)}`),
  ].join('\n')
}

function tries(hasFacts: boolean): (readonly [command: string, what: string])[] {
  return [
    ['memory remember "..."', 'save something every agent should know'],
    ['memory preview', 'see the text that your agent gets here'],
    hasFacts
      ? ['memory search WORDS', 'search memories, sessions and notes']
      : ['memory recall WORDS', 'ask for it later, in other words'],
    ['memory ui', 'look at it all in the browser'],
  ]
}

/**
 * Offers to connect the installed coding agents that are not connected. The changes are those of
 * `memory connect`, previewed by a dry run of it.
 */
export async function agentsStep({ machine, states, connect }: Connector): Promise<SetupStep | undefined> {
  const open = states('user').filter(({ state }) => state === 'installed' || state === 'outdated')
  const targets = harnesses.filter(({ name }) => open.some(({ harness }) => harness === name))
  if (targets.length === 0) return undefined
  const options = { scope: 'user', transport: 'command', withMcp: true } as const
  const ask = (flags: { yes: boolean; 'dry-run': boolean }) =>
    connect({ targets, options, flags, isJson: true })
  const { harnesses: plans } = await ask({ yes: false, 'dry-run': true })
  const titles = targets.map(({ title }) => title).join(', ')
  return {
    id: 'agents',
    title: `Coding agents: ${titles}`,
    lines: plans.flatMap(plan => {
      const target = targets.find(({ name }) => name === plan.harness)
      const found = target && detect(target, machine).evidence
      return agentLines(plan, found ?? '')
    }),
    question: `Connect ${titles}?`,
    details: {
      word: 'exact change',
      text: async colors => {
        const { paintDiff } = await import('../../sessions/connect/connection-text.js')
        return plans.flatMap(({ files }) => files.map(({ diff }) => paintDiff(diff, colors))).join('\n')
      },
    },
    run: async () => {
      const done = await ask({ yes: true, 'dry-run': false })
      const failed = done.failures.map(({ harness, error }) => `${harness} is not connected: ${error}`)
      const connected = done.harnesses.filter(
        ({ harness }) => !done.failures.some(failure => failure.harness === harness),
      )
      return [
        ...connected.map(({ title }) => `Connected ${title}`),
        ...connected.flatMap(({ title, hints }) =>
          // The next step imports sessions.
          hints.filter(hint => !hint.includes('import transcripts')).map(hint => `${title}: ${hint}`),
        ),
        ...failed,
      ]
    },
  }
}

function agentLines({ harness, title, files }: PlanReport, evidence: string): string[] {
  const changes = files.map(({ path, action, diff }) => {
    const added = diff.split('\n').filter(line => line.startsWith('+') && !line.startsWith('+++ ')).length
    return `${action === 'create' ? 'creates' : 'changes'} ${shortenHome(path)} (${countOf(added, 'line')} added)`
  })
  return [
    `${title}, found: ${evidence.split(', ').map(shortenHome).join(', ')}`,
    `  ${changes.join(', ')}`,
    `  Undo: memory disconnect ${harness}`,
  ]
}

/** Offers to import earlier sessions that were not imported yet. */
export async function sessionsStep(
  call: CallDaemon,
  found: readonly EarlierSessions[],
  agent: string | undefined,
): Promise<SetupStep | undefined> {
  const open = await Promise.all(
    found.map(async one => {
      const logs = one.logs.slice(0, mostSessions)
      const all = { wanted: logs, unchanged: 0, live: 0 }
      const picked = await ifRunning(() => pickLogs(call, logs, { from: one.from, agent, all: false }), all)
      return { ...one, picked }
    }),
  )
  const wanted = open.filter(({ picked }) => picked.wanted.length > 0)
  if (wanted.length === 0) return undefined
  const count = wanted.reduce((sum, { picked }) => sum + picked.wanted.length, 0)
  return {
    id: 'sessions',
    title: `Earlier sessions: ${count}`,
    lines: wanted.flatMap(({ from, paths, logs, picked }) => {
      const bytes = picked.wanted.reduce((sum, log) => sum + log.bytes, 0)
      const older = logs.length - mostSessions
      return [
        `${titleOf(from)}: ${countOf(picked.wanted.length, 'session')}, ${formatBytes(bytes)}, in ${paths.map(shortenHome).join(', ')}`,
        ...(older > 0 ? [`  ${older} older ones: memory import transcripts --from ${from}`] : []),
      ]
    }),
    question: `Import ${countOf(count, 'session')}? They are copied, and stay on this machine.`,
    run: async () => {
      const sums = []
      for (const { from, paths, picked } of wanted)
        sums.push(await importLogs(call, { from, paths, agent, project: undefined }, picked))
      return sums.flatMap(({ from, imported, messages, failed, stopped, imports }) => [
        `Imported ${countOf(imported, 'session')} of ${titleOf(from)} with ${countOf(messages, 'message')}`,
        ...(failed.length > 0 ? [`${countOf(failed.length, 'session')} could not be read`] : []),
        ...(stopped === null ? [] : [`The import is ${stopped}: memory imports show ${imports.at(-1)}`]),
      ])
    },
  }
}

/** Offers to follow Obsidian vaults that are not followed yet. */
export async function notesStep(call: CallDaemon, found: readonly string[]): Promise<SetupStep | undefined> {
  const { sources } = await ifRunning(() => call('GET /api/sources'), { version: 1, sources: [] })
  const known = new Set(sources.map(({ root }) => root))
  const vaults = found.filter(path => !known.has(path))
  if (vaults.length === 0) return undefined
  const names = vaults.map(path => basename(path)).join(', ')
  return {
    id: 'notes',
    title: `Obsidian: ${countOf(vaults.length, 'vault')}`,
    lines: vaults.map(path => `${shortenHome(path)} is read and followed, never modified`),
    question: `Follow ${names}?`,
    run: async () => {
      const lines: string[] = []
      for (const path of vaults) {
        const { source } = await call('POST /api/sources/notevault', { body: { path } })
        const { stats } = await followSource(() =>
          call('GET /api/sources/:sourceId', { params: { sourceId: source.id } }),
        )
        lines.push(`Following ${shortenHome(path)}, ${countOf(stats.artifacts, 'note')}`)
      }
      return lines
    },
  }
}

/** Offers to add the documents of the project that were not added yet. */
export async function documentsStep(
  call: CallDaemon,
  found: ProjectDocuments | undefined,
  sendsText: boolean,
): Promise<SetupStep | undefined> {
  if (!found) return undefined
  const known = await ifRunning(() => call('GET /api/documents', { query: { limit: 200 } }), undefined)
  const paths = new Set(known?.documents.map(({ source_url }) => source_url))
  const files = found.files.filter(path => !paths.has(path)).slice(0, mostDocuments)
  if (files.length === 0) return undefined
  const names = found.names.join(', ')
  return {
    id: 'documents',
    title: `Documents of ${basename(found.folder)}: ${names}`,
    lines: [`${countOf(files.length, 'file')} that recall then finds as passages`],
    question: `Add ${countOf(files.length, 'document')}?`,
    run: async () => {
      const options = { call, fields: { project: found.folder, agentId: undefined }, sendsText }
      const bar = startProgressBar()
      try {
        const submitted: SubmittedDocument[] = []
        await eachAtOnce(files, documentsAtOnce, async path => {
          submitted.push(await submitDocument(options, { kind: 'file', path }))
          bar.update(
            `${submitted.length} of ${countOf(files.length, 'document')}`,
            submitted.length / files.length,
          )
        })
        const read = await Promise.all(submitted.map(one => outcomeOf(options, one)))
        const failed = read.filter(({ status }) => status === 'failed')
        return [
          `Added ${countOf(read.length - failed.length, 'document')}`,
          ...failed.map(({ name, reason }) => `${relative(found.folder, name)} was not read: ${reason}`),
        ]
      } finally {
        bar.stop()
      }
    },
  }
}

function titleOf(from: string): string {
  return harnesses.find(({ name }) => name === from)?.title ?? from
}

/** Asks the daemon, unless the caller does not start it and it does not run. */
async function ifRunning<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ClientError && error.code === 'daemon_not_started') return otherwise
    throw error
  }
}
