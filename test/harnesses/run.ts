import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { CodingAgent } from './agent.js'
import { agents } from './agents.js'
import { checks } from './checks.js'
import { createHome } from './home.js'
import { installAgent } from './install-agent.js'
import { startModelServer } from './model/model-server.js'
import { reduceTranscript } from './reduce-transcript.js'
import { type AgentReport, reportTable } from './report-table.js'
import { runAgent, type Scene } from './run-agent.js'
import { summary } from './scenario.js'

const help = `usage: npm run harnesses -- [--only LIST] [--json] [--record DIR] [--keep]

Runs real coding agents against a scripted model on loopback and checks how memory works in them.

  --only LIST    run only some of: ${agents.map(({ name }) => name).join(', ')}
  --checks LIST  run only steps with some of: ${Object.keys(checks).join(', ')}
  --json         print the outcomes as JSON
  --record DIR   write each agent's own transcript to DIR, without the text of others
  --keep         keep the home folders for inspection`

const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'harnesses')

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    checks: { type: 'string' },
    json: { type: 'boolean' },
    keep: { type: 'boolean' },
    record: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

if (values.help) console.log(help)
else await main()

async function main(): Promise<void> {
  const names = values.only?.split(',') ?? agents.map(({ name }) => name)
  const unknown = names.filter(name => !agents.some(agent => agent.name === name))
  if (unknown.length > 0) {
    console.error(`Unknown agent ${unknown.join(', ')}\n\n${help}`)
    process.exitCode = 2
    return
  }
  const reports: AgentReport[] = []
  for (const agent of agents.filter(({ name }) => names.includes(name)))
    try {
      reports.push(await report(agent))
    } catch (error) {
      // The other agents still run.
      console.error(`${agent.title}: ${(error as Error).message}`)
    }
  console.log(values.json ? JSON.stringify(reports, null, 2) : reportTable(reports))
  const failures = reports
    .flatMap(({ outcomes }) => Object.values(outcomes))
    .filter(({ status }) => status === 'failed')
  process.exitCode = failures.length > 0 || reports.length < names.length ? 1 : 0
}

async function report(agent: CodingAgent): Promise<AgentReport> {
  const progress = (what: string) => console.error(`${agent.title}: ${what}`)
  progress('install')
  const { version, program, nodeFolder } = await installAgent(agent, cache)
  const home = createHome(agent.name)
  const path = [...(nodeFolder ? [nodeFolder] : []), home.environment.PATH].join(delimiter)
  const server = await startModelServer({ summary, folder: home.asked })
  try {
    const only = values.checks?.split(',')
    const run = { agent, home, program, path, model: server.origin, server, progress, ...(only && { only }) }
    const { outcomes, session } = await runAgent(run)
    if (values.record) await record(values.record, { run, session, version })
    return { agent: agent.name, title: agent.title, version, outcomes, unknownRequests: server.unknown() }
  } finally {
    await server.close()
    await agent.stop?.({ home, program, path, model: server.origin }).catch(() => undefined)
    await home.memory('daemon', 'stop').catch(() => undefined)
    if (values.keep) progress(`kept ${home.folder}`)
    else home.remove()
  }
}

async function record(
  folder: string,
  { run, session, version }: { run: Scene; session: string; version: string },
): Promise<void> {
  const { agent, home, progress } = run
  const text = await agent.transcript(run, session)
  if (text === undefined) return progress('has no transcript to record')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${agent.name}-${version}.${agent.transcriptEnding}`)
  writeFileSync(file, reduceTranscript(text, { home: home.folder }))
  progress(`recorded ${file}`)
}
