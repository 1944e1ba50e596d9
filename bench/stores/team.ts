import type { Agent } from 'node:http'
import { type Server, settled } from '../speed/build.js'
import { measureCalls } from '../speed/calls.js'
import { type CallFigure, type Kind, measureInTurns, notes, questions } from '../speed/suite.js'
import { fillByImport } from '../speed/transfer.js'
import { type Side, startSide, withServer } from './suite.js'

export type TeamFigure = Omit<CallFigure, 'rows'> & { rows: number }

const mostDaemons = 3
/** Clients of all daemons together, so that each setting has the same work. */
const clients = 12

/**
 * Measures the same saves and recalls in turns: one daemon with its memories in a file, and one, two and
 * three that share a PostgreSQL server of this machine.
 */
export function runTeamSuite({
  rows = 10_000,
  calls = 720,
}: {
  rows?: number | undefined
  /** Calls of each kind and turn. */
  calls?: number | undefined
} = {}): Promise<TeamFigure[]> {
  const kinds = kindsOf(calls)
  return withServer(async postgres => {
    const teams = [{ name: 'SQLite', sides: [await startSide('sqlite', {})] }]
    try {
      for (let count = 1; count <= mostDaemons; count++) {
        const storage = { postgres, schema: `team_${count}`, shared: true }
        const team: (typeof teams)[number] = { name: `PostgreSQL, daemons: ${count}`, sides: [] }
        teams.push(team)
        while (team.sides.length < count) team.sides.push(await startSide(team.name, { storage }))
      }
      for (const { sides } of teams) await fill(sides, rows)
      const servers = teams.map(({ name, sides }) => ({ name, server: together(sides) }))
      for (const { sides } of teams) await warm(sides, kinds)
      return (await measureInTurns(servers, kinds)).map(figure => ({ rows, ...figure }))
    } finally {
      for (const { server, remove } of teams.flatMap(({ sides }) => sides)) {
        await server.stop()
        remove()
      }
    }
  })
}

async function fill(sides: readonly Side[], rows: number): Promise<void> {
  const [first] = sides
  if (first) await fillByImport(first.server, rows)
  for (const { server } of sides) await settled(server)
}

/** Each daemon gets as many calls as one that is alone: its share of them would leave it colder. */
async function warm(sides: readonly Side[], kinds: readonly Kind[]): Promise<void> {
  for (const [place, { server }] of sides.entries())
    for (const { path, bodies } of kinds) await measureCalls(server, path, bodies(-1 - place), clients)
}

/** Several daemons as one server: each further client asks the next of them. */
function together(sides: readonly Side[]): Server {
  const servers = sides.map(({ server }) => server)
  const [first] = servers
  if (!first) throw new Error('a team has no daemon')
  const chosen = new Map<Agent | undefined, Server>()
  const serverOf = (agent: Agent | undefined): Server => {
    const server = chosen.get(agent) ?? servers[chosen.size % servers.length] ?? first
    chosen.set(agent, server)
    return server
  }
  const sum = (of: (usage: ReturnType<Server['usage']>) => number): number =>
    servers.reduce((total, { usage }) => total + of(usage()), 0)
  return {
    ...first,
    ask: (method, path, body, agent) => serverOf(agent).ask(method, path, body, agent),
    usage: () => ({
      cpuMs: sum(({ cpuMs }) => cpuMs),
      writtenKb: sum(({ writtenKb }) => writtenKb),
      rssMb: sum(({ rssMb }) => rssMb),
    }),
  }
}

function kindsOf(calls: number): Kind[] {
  const save = { path: '/api/memory/remember' }
  const recall = { path: '/api/memory/recall' }
  const fewer = Math.ceil(calls / 4)
  return [
    { what: `save, ${clients} writers`, clients, ...save, bodies: turn => notes(turn, calls) },
    { what: 'save, 1 writer', clients: 1, ...save, bodies: turn => notes(turn + 100, fewer) },
    { what: `recall, ${clients} clients`, clients, ...recall, bodies: () => questions(calls) },
    { what: 'recall, 1 client', clients: 1, ...recall, bodies: () => questions(fewer) },
  ]
}

export function formatTeamSuite(figures: readonly TeamFigure[]): string {
  const lines = figures.map(
    ({ rows, what, system, p50Ms, p95Ms, perSecond, cpuMs }) =>
      `| ${rows.toLocaleString('en')} | ${what} | ${system} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} | ${perSecond.toFixed(0)} | ${cpuMs.toFixed(1)} |`,
  )
  return [
    '| memories | call | memories in | p50 ms | p95 ms | a second | daemons, CPU ms a call |',
    '|--:|---|---|--:|--:|--:|--:|',
    ...lines,
  ].join('\n')
}
