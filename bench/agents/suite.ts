import { workspacePaths } from '../../src/lib/workspace/paths.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { type MeasuredDaemon, startMeasuredDaemon } from '../daemon/daemon-process.js'
import { startFakeProvider } from '../daemon/fake-provider.js'
import { fillWorkspace, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'

export interface AgentFigure {
  what: string
  p50Ms: number
  /** The same request in a workspace where one agent owns all memories; both take turns. */
  oneAgentP50Ms: number
}

export interface AgentsSuiteResult {
  rows: number
  agents: number
  figures: AgentFigure[]
  removals: { what: string; memories: number; seconds: number; loopP99Ms: number; loopMaxMs: number }[]
}

const agents = 1000
const turns = 120
const warmUps = 20

/**
 * Compares recall and session starts with a thousand agents against one agent with the same memories, and
 * measures removals.
 */
export async function runAgentsSuite({ rows = 100_000 }: { rows?: number } = {}): Promise<AgentsSuiteResult> {
  const provider = await startFakeProvider()
  const owner = `CASE WHEN rowid % 5 = 0 THEN 'large' ELSE 'member ' || (rowid % ${agents}) END`
  const many = await prepared(provider.settings, rows, owner)
  const one = await prepared(provider.settings, rows, "'default'")
  const ask = (path: string, body: (turn: number) => object, from: Workspace[]) =>
    inTurns(from, (daemon, turn) => daemon.ask('POST', path, body(turn)))
  const queries = Array.from({ length: turns + warmUps }, () => one.memories.query())
  const recall = (fields: object) => (turn: number) => ({ query: queries[turn], ...fields })
  const start = (agentId?: string) => (turn: number) => ({
    harness: 'bench',
    sessionKey: `${agentId} ${turn}`,
    agentId,
  })
  const figures = [
    { what: 'recall, shared', ...(await ask('/api/memory/recall', recall({}), [many, one])) },
    {
      what: 'recall, group of 1,000 agents',
      ...(await ask('/api/memory/recall', recall({ agentId: 'member 1', readPolicy: 'group' }), [many, one])),
    },
    { what: 'session-start, shared', ...(await ask('/api/hooks/session-start', start(), [many, one])) },
    {
      what: 'session-start, group of 1,000 agents',
      ...(await ask('/api/hooks/session-start', start('member 1'), [many, one])),
    },
  ]
  const removals = [
    await remove(many.daemon, 'archive', 'large', ''),
    await remove(many.daemon, 'purge', 'large', '?purge=true'),
  ]
  for (const { close } of [many, one]) await close()
  provider.close()
  return { rows, agents, figures, removals }
}

type Workspace = Awaited<ReturnType<typeof prepared>>

/** @param owner SQL expression for the agent of a row */
async function prepared(settings: object, rows: number, owner: string) {
  const workspace = temporaryWorkspace(settings)
  const memories = await fillWorkspace(workspace.folder, rows)
  const raw = new BetterSqlite(workspacePaths(workspace.folder).database)
  raw.exec(`UPDATE memories SET agent_id = ${owner};
    INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)
    SELECT DISTINCT agent_id, agent_id, CASE agent_id WHEN 'default' THEN 'shared' ELSE 'group' END,
      CASE agent_id WHEN 'default' THEN NULL ELSE 'web' END, '2026', '2026' FROM memories`)
  raw
    .prepare(
      "INSERT OR IGNORE INTO agents VALUES ('member 1', 'member 1', 'group', 'web', '2026', '2026', NULL)",
    )
    .run()
  raw.prepare("UPDATE agents SET policy_group = 'web' WHERE id = 'default'").run()
  raw.close()
  const daemon = await startMeasuredDaemon(workspace.folder)
  while ((await daemon.ask('GET', '/api/status')).body.index.state !== 'ready')
    await new Promise(resolve => setTimeout(resolve, 50))
  const close = async (): Promise<void> => {
    await daemon.stop()
    workspace.remove()
  }
  return { daemon, memories, close }
}

/**
 * Sends the same request to both workspaces in turns, so that other load on the machine affects both alike.
 */
async function inTurns(
  [many, one]: readonly Workspace[],
  ask: (daemon: MeasuredDaemon, turn: number) => Promise<{ status: number; ms: number }>,
): Promise<Pick<AgentFigure, 'p50Ms' | 'oneAgentP50Ms'>> {
  const times: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turns + warmUps; turn++)
    for (const which of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const { status, ms } = await ask([many, one][which]!.daemon, turn)
      if (status !== 200) throw new Error(`answered ${status}`)
      if (turn >= warmUps) times[which]!.push(ms)
    }
  return { p50Ms: percentile(times[0], 0.5), oneAgentP50Ms: percentile(times[1], 0.5) }
}

async function remove(
  daemon: MeasuredDaemon,
  what: string,
  agent: string,
  query: string,
): Promise<AgentsSuiteResult['removals'][number]> {
  await daemon.load()
  const { body, ms } = await daemon.ask('DELETE', `/api/agents/${agent}${query}`)
  const { loopP99Ms, loopMaxMs } = await daemon.load()
  return { what, memories: body.memories, seconds: ms / 1000, loopP99Ms, loopMaxMs }
}

export function formatAgentsSuite({ rows, agents: count, figures, removals }: AgentsSuiteResult): string {
  return [
    `| ${rows.toLocaleString('en')} memories | p50, ${count.toLocaleString('en')} agents | p50, one agent | ratio |`,
    '|---|--:|--:|--:|',
    ...figures.map(
      ({ what, p50Ms, oneAgentP50Ms }) =>
        `| ${what} | ${p50Ms.toFixed(2)} ms | ${oneAgentP50Ms.toFixed(2)} ms | ${(p50Ms / oneAgentP50Ms).toFixed(3)} |`,
    ),
    '',
    '| removal | memories | took | loop delay p99, max |',
    '|---|--:|--:|--:|',
    ...removals.map(
      ({ what, memories, seconds, loopP99Ms, loopMaxMs }) =>
        `| ${what} | ${memories.toLocaleString('en')} | ${seconds.toFixed(1)} s | ${loopP99Ms.toFixed(0)}, ${loopMaxMs.toFixed(0)} ms |`,
    ),
  ].join('\n')
}
