import type {
  DiagnosticsFinding,
  HealthFigure,
  WaitingForPerson,
} from '../../../contract/operations/diagnostics-domains.js'
import { countOf } from '../../../lib/text/count-of.js'
import { defaultAgent } from '../../ground/visibility/caller.js'
import { createDaemonState, type Daemon } from '../../platform/daemon/daemon.js'
import { pendingOf } from '../../platform/plugins/plugin.js'

type Composite = Pick<HealthFigure, 'score' | 'status' | 'parts'>

interface JudgedDomain {
  findings: readonly DiagnosticsFinding[]
}

const lastFigure = createDaemonState<{ figure: HealthFigure }>()

/**
 * The one figure of health that status, diagnostics, doctor, the page and `/health` show: the composite with
 * every warning and what waits for a person (operations.md 3.1).
 */
export async function healthFigure(
  daemon: Daemon,
  composite: Composite,
  { domains, checkedAt, confined }: HealthInput,
): Promise<HealthFigure> {
  const figure = {
    ...composite,
    checkedAt,
    warnings: warningsOf(domains),
    waiting: confined ? nothingWaits : await waitingForPerson(daemon),
  }
  if (!confined) lastFigure.keep(daemon, { figure })
  return figure
}

interface HealthInput {
  domains: Readonly<Record<string, JudgedDomain>>
  checkedAt: string | null
  /** The caller may see one agent, project or author only: it is shown nothing that waits. */
  confined: boolean
}

/** The figure as it was last computed for a caller who may see everything, without texts of findings. */
export function lastHealth(daemon: Daemon | undefined): Omit<HealthFigure, 'warnings'> | undefined {
  const kept = daemon && lastFigure.ifKept(daemon)
  if (!kept) return undefined
  const { warnings: _, ...figure } = kept.figure
  return figure
}

function warningsOf(domains: HealthInput['domains']): HealthFigure['warnings'] {
  const all = Object.entries(domains).flatMap(([domain, { findings }]) =>
    findings.map(one => ({ ...one, domain })),
  )
  const of = (severity: DiagnosticsFinding['severity']) => all.filter(one => one.severity === severity)
  return [...of('error'), ...of('warning')]
}

const nothingWaits: WaitingForPerson = { total: 0, items: [] }

/** Counts what waits for a decision of a person, for every surface that shows it. */
export async function waitingForPerson(daemon: Daemon): Promise<WaitingForPerson> {
  const { ontologyRecords, messages } = daemon.store.tables
  const proposals = ['knowledge', 'review']
  const of = (status: string) => ontologyRecords.countProposals(defaultAgent, status)
  const reader = { agentId: defaultAgent, sessionKey: undefined }
  const [suggestions, conflicts, letters] = await Promise.all([
    of('pending'),
    of('blocked'),
    messages.countUnread({ reader, project: undefined, now: daemon.clock().toISOString() }),
  ])
  const settings = daemon.waitingSettings.list().length
  const plugins = daemon.plugins.list().filter(one => one.entry.enabled && pendingOf(one).length > 0)
  const items: WaitingForPerson['items'] = [
    {
      kind: 'suggestion',
      count: suggestions,
      text: `${countOf(suggestions, 'suggestion')} from Dreaming`,
      command: 'memory review',
      page: proposals,
    },
    {
      kind: 'conflict',
      count: conflicts,
      text: countOf(conflicts, 'contradiction between facts', 'contradictions between facts'),
      command: 'memory review',
      page: proposals,
    },
    {
      kind: 'message',
      count: letters,
      text: `${countOf(letters, 'unread message')} to you`,
      command: 'memory messages inbox --unread',
      page: ['tasks', 'messages'],
    },
    {
      kind: 'setting',
      count: settings,
      text: `${countOf(settings, 'security setting')} from a pull`,
      command: 'memory git settings',
      page: ['operations', 'git'],
    },
    {
      kind: 'permission',
      count: plugins.length,
      text: `${countOf(plugins.length, 'plugin')} waiting for permission`,
      command: `memory plugins show ${plugins[0]?.id ?? 'ID'}`,
      page: ['tasks', 'plugins'],
    },
  ]
  const waiting = items.filter(({ count }) => count > 0)
  return { total: waiting.reduce((sum, { count }) => sum + count, 0), items: waiting }
}
