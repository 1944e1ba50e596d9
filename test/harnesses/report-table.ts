import { clip } from '../../src/lib/text/clip.js'
import { type CheckName, checks, notAsked, type Outcome, type Outcomes } from './checks.js'

export interface AgentReport {
  agent: string
  title: string
  version: string
  outcomes: Outcomes
  /** Provider requests of the agent that our model does not know. */
  unknownRequests: readonly string[]
}

/** A table with a row for each check and a column for each agent; shortened reasons are listed below it. */
export function reportTable(reports: readonly AgentReport[]): string {
  const notes: string[] = []
  const cellOf = ({ title }: AgentReport, outcome: Outcome): string => {
    if (outcome.status === 'ok') return outcome.detail === undefined ? 'ok' : `ok (${outcome.detail})`
    notes.push(`[${notes.length + 1}] ${title}: ${clip(outcome.reason.replace(/\s+/gu, ' '), 300)}`)
    return `${outcome.status} [${notes.length}]`
  }
  const head = ['', ...reports.map(({ title, version }) => `${title} ${version}`)]
  const asked = Object.entries(checks).filter(([name]) =>
    reports.some(({ outcomes }) => !isUnasked(outcomes[name as CheckName])),
  )
  const rows = asked.map(([name, what]) => [
    what,
    ...reports.map(report => cellOf(report, report.outcomes[name as CheckName])),
  ])
  return ['', ...aligned([head, ...rows]), '', ...notes].join('\n')
}

function isUnasked(outcome: Outcome): boolean {
  return outcome.status === 'not applicable' && outcome.reason === notAsked
}

function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
