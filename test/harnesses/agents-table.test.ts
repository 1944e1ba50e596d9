import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { mcpClients } from '../../src/cli/sessions/connect/harnesses/mcp-clients.js'
import { harnesses } from '../../src/cli/sessions/connect/harnesses.js'
import { logAdapters } from '../../src/contract/knowledge/import-adapters.js'
import { isDialectHarness } from '../../src/contract/sessions/harness-names.js'
import { type Dialect, dialectOf } from '../../src/daemon/sessions/harness/dialects.js'
import { agents } from './agents.js'
import { taskHarnessOf } from './check-task.js'
import { root } from './home.js'

const page = readFileSync(join(root, 'docs', 'harnesses.md'), 'utf8')

/** Rows of the table of all agents by name: a cell for each heading. */
function tableOf(text: string): Map<string, Record<string, string>> {
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())
  const lines = text.split('\n')
  const start = lines.findIndex(line => line.startsWith('| Name | Driven |'))
  const headings = cells(lines[start] ?? '')
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'))
  return new Map(
    lines.slice(start + 2, end).map(line => {
      const row = Object.fromEntries(cells(line).map((cell, at) => [headings[at] ?? '', cell]))
      return [row.Name?.replaceAll('`', '') ?? '', row]
    }),
  )
}

const table = tableOf(page)
const own = harnesses.filter(harness => !mcpClients.includes(harness)).map(({ name }) => name)

/** Moments of a dialect, as the table names them. */
function momentsOf({ events, injects, startsWithPrompt }: Dialect) {
  const takes = (event: string | undefined) => event !== undefined && injects.has(event)
  const start = takes(events['session-start']) ? 'yes' : 'no'
  return {
    Start: startsWithPrompt ? 'with the prompt' : start,
    Prompt: takes(events['user-prompt-submit']) ? 'yes' : 'no',
    'Sub-agent': takes(events['subagent-start']) ? 'rules' : 'no',
    Compaction: events['compaction-complete'] === undefined ? 'no' : 'kept',
  }
}

test('the table names every agent that memory connect gives hooks or a plug-in', t => {
  t.deepEqual([...table.keys()].sort(), [...own].sort())
})

for (const name of own) {
  const row = table.get(name) ?? {}

  test(`the table says of ${name} when it takes context and what is kept, as the code does`, t => {
    if (!isDialectHarness(name)) return t.pass()
    const { Start, Prompt, 'Sub-agent': subagent, Compaction } = row
    t.deepEqual({ Start, Prompt, 'Sub-agent': subagent, Compaction }, momentsOf(dialectOf(name)))
  })

  test(`the table says of ${name} what can be imported and started, as the code does`, t => {
    t.is(row.Import, (logAdapters as readonly string[]).includes(name) ? 'yes' : 'no')
    t.is(row.Tasks?.startsWith('yes'), taskHarnessOf(name) !== undefined)
    const agent = agents.find(each => each.name === name)
    const speaksAcp = agent?.acp !== undefined && agent.cannot?.acp === undefined
    if (row.Tasks?.includes('ACP')) t.true(speaksAcp)
  })

  test(`the table says of ${name} which version was driven on which day, if there is a driver`, t => {
    const driven = /^[\d.]+, \d{4}-\d\d-\d\d(?:, .+)?$/u
    if (agents.some(agent => agent.name === name)) t.regex(row.Driven ?? '', driven)
    else t.regex(row.Driven ?? '', /^no$|, (?:by hand|its sessions)$/u)
    t.is(/^\d+$/u.test(row.Tokens ?? ''), row.Driven !== 'no' && !/not|none/u.test(row.Tokens ?? ''))
  })
}
