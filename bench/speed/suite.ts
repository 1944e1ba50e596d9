import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { dimensions, temporaryWorkspace } from '../daemon/workspace.js'
import { percentile } from '../index/measure.js'
import { SyntheticMemories, smallWords } from '../index/synthetic.js'
import { type Build, type Server, settled, startBuild } from './build.js'
import { type Calls, measureCalls, medianCalls } from './calls.js'
import { startFloor } from './floor.js'
import { measureProcesses, type ProcessFigure } from './processes.js'
import { fillByImport, type Transfer } from './transfer.js'

export interface SpeedOptions {
  /** Folder of another build to compare, in turns. */
  before?: string | undefined
  sizes?: readonly number[] | undefined
  /** Idle minutes before memory is sampled again; 0 skips it. */
  quietMinutes?: number | undefined
  /** Receives the results so far after each size, since a large one takes half an hour. */
  onSize?: ((result: SpeedResult) => void) | undefined
  /** Turns of starts and programs. Fewer turns also mean fewer recalls, for a quick run. */
  rounds?: number | undefined
}

export interface StartFigure {
  what: string
  build: string
  readyMs: number
  readyCpuMs: number
  /** From spawn until a recall is answered. */
  answeredMs: number
}

export interface CallFigure extends Calls {
  rows: number
  what: string
  system: string
}

export interface FootprintFigure extends Transfer {
  rows: number
  build: string
  megabytesPer10k: number
  startedMb: number
  recalledMb: number
  /** After the idle minutes. */
  quietMb: number
}

export interface SpeedResult {
  starts: StartFigure[]
  calls: CallFigure[]
  footprints: FootprintFigure[]
  processes: ProcessFigure[]
}

const recallPath = '/api/memory/recall'
const callTurns = 3
const saves = 400
const recalls = 300
const recallsForMemory = 5000
/** Unmeasured calls first, since a program that just started is measured as a start. */
const warmingCalls = 600
/** Recalls after which a daemon counts as warm: V8 compiles hot functions in the background. */
const recallsUntilWarm = 1500
const usualRounds = 9
/** Scales a usual number of calls to the number of turns. */
const shareOf = (usual: number, rounds: number): number =>
  Math.ceil(usual * Math.min(1, rounds / usualRounds))
export const here: Build = { name: 'this build', root: join(import.meta.dirname, '..', '..') }

/**
 * Measures user-visible latency and resource use next to another build and to minimal systems: `node -e 0`, a
 * server that only answers, and bare SQLite with durable commits.
 */
export async function runSpeedSuite(options: SpeedOptions = {}): Promise<SpeedResult> {
  const { before, sizes = [10_000, 100_000], rounds = usualRounds, onSize } = options
  const builds = [here, ...(before ? [{ name: 'the build before', root: resolve(before) }] : [])]
  const result: SpeedResult = { starts: [], calls: [], footprints: [], processes: [] }
  result.starts.push(...(await measureNewStarts(builds, rounds)))
  for (const rows of sizes) {
    await measureSize(result, builds, { rows, rounds, options })
    onSize?.(result)
  }
  result.processes = await measurePrograms(builds, rounds)
  return result
}

interface Side {
  build: Build
  workspace: ReturnType<typeof temporaryWorkspace>
}

/** Each start uses a new workspace. */
async function measureNewStarts(builds: readonly Build[], rounds: number): Promise<StartFigure[]> {
  const runs = builds.map((): Started[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, build] of builds.entries()) {
      const workspace = temporaryWorkspace()
      runs[index]?.push(await startOnce({ build, workspace }))
      workspace.remove()
    }
  return builds.map(({ name }, index) => startFigure('a new workspace', name, runs[index] ?? []))
}

type Started = Omit<StartFigure, 'what' | 'build'>

async function startOnce({ build, workspace }: Side): Promise<Started> {
  const started = performance.now()
  const server = await startBuild(build, workspace.folder)
  await server.ask('POST', recallPath, { query: 'harbour crane' })
  const answeredMs = performance.now() - started
  await server.stop()
  return { readyMs: server.readyMs, readyCpuMs: server.readyCpuMs, answeredMs }
}

function startFigure(what: string, build: string, runs: readonly Started[]): StartFigure {
  const of = (figure: (run: Started) => number): number => percentile(runs.map(figure), 0.5)
  return {
    ...{ what, build },
    readyMs: of(run => run.readyMs),
    readyCpuMs: of(run => run.readyCpuMs),
    answeredMs: of(run => run.answeredMs),
  }
}

interface SizeRun {
  rows: number
  rounds: number
  options: SpeedOptions
}

async function measureSize(result: SpeedResult, builds: readonly Build[], size: SizeRun): Promise<void> {
  const { rows, rounds } = size
  const sides: Side[] = builds.map(build => ({ build, workspace: temporaryWorkspace() }))
  for (const side of sides) result.footprints.push(await measureFootprint(side, size))
  const runs = sides.map((): Started[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) runs[index]?.push(await startOnce(side))
  const what = `${rows.toLocaleString('en')} memories`
  result.starts.push(...sides.map(({ build }, index) => startFigure(what, build.name, runs[index] ?? [])))
  result.calls.push(...(await measureServers(sides, size)))
  for (const { workspace } of sides) workspace.remove()
}

/** Memory after a fill, a restart, recalls, and an idle time. */
async function measureFootprint(
  { build, workspace }: Side,
  { rows, rounds, options: { quietMinutes = 0 } }: SizeRun,
): Promise<FootprintFigure> {
  const filling = await startBuild(build, workspace.folder)
  const transfer = await fillByImport(filling, rows)
  await settled(filling)
  await filling.stop()
  const megabytesPer10k = (folderBytes(workspace.folder) / 1e6 / rows) * 10_000
  const server = await startBuild(build, workspace.folder)
  await settled(server)
  const startedMb = server.usage().rssMb
  await measureCalls(server, recallPath, questions(shareOf(recallsForMemory, rounds)), 4)
  const recalledMb = server.usage().rssMb
  await delay(quietMinutes * 60_000)
  const quietMb = quietMinutes > 0 ? server.usage().rssMb : Number.NaN
  await server.stop()
  return { ...transfer, ...{ rows, build: build.name, megabytesPer10k, startedMb, recalledMb, quietMb } }
}

function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** All servers take turns. */
async function measureServers(sides: readonly Side[], { rows, rounds }: SizeRun): Promise<CallFigure[]> {
  const servers: { name: string; server: Server }[] = []
  for (const { build, workspace } of sides) {
    const server = await startBuild(build, workspace.folder)
    await settled(server)
    servers.push({ name: build.name, server })
  }
  servers.push({ name: 'bare SQLite FTS5', server: await startFloor('sqlite', rows) })
  servers.push({ name: 'answers only', server: await startFloor('echo', 0) })
  for (const { server } of servers)
    for (const { path, bodies } of kinds(rounds))
      await measureCalls(server, path, bodies(-1).slice(0, shareOf(warmingCalls, rounds)), 1)
  const figures = await measureInTurns(servers, kinds(rounds))
  const daemons = servers.slice(0, sides.length)
  for (const { server } of daemons) await measureCalls(server, recallPath, questions(recallsUntilWarm), 4)
  const warm = kinds(rounds).filter(({ path }) => path === recallPath)
  figures.push(
    ...(await measureInTurns(
      daemons,
      warm.map(kind => ({ ...kind, what: `${kind.what}, warm` })),
    )),
  )
  for (const { server } of servers) await server.stop()
  return figures.map(figure => ({ rows, ...figure }))
}

/** Measures each kind of call on all servers in turns. */
export async function measureInTurns(
  servers: readonly { name: string; server: Server }[],
  kinds: readonly Kind[],
): Promise<Omit<CallFigure, 'rows'>[]> {
  const figures: Omit<CallFigure, 'rows'>[] = []
  for (const { what, path, clients, bodies } of kinds) {
    const measured = servers.map((): Calls[] => [])
    for (let turn = 0; turn < callTurns; turn++) {
      const asked = bodies(turn)
      for (const [index, { server }] of servers.entries())
        measured[index]?.push(await measureCalls(server, path, asked, clients))
    }
    for (const [index, { name: system }] of servers.entries())
      figures.push({ ...{ what, system }, ...medianCalls(measured[index] ?? []) })
  }
  return figures
}

/** Calls of one kind. */
export interface Kind {
  what: string
  clients: number
  path: string
  bodies(turn: number): object[]
}

function kinds(rounds: number): Kind[] {
  const asked = shareOf(recalls, rounds)
  const recall = { path: recallPath }
  const sentences = { ...recall, bodies: () => questions(asked) }
  const words = { ...recall, bodies: () => threeWords(asked) }
  const save = { path: '/api/memory/remember' }
  // Without a type the daemon reads it from the note, which takes as long as the rest of a save.
  const typed = (turn: number) => notes(turn, saves).map(note => ({ ...note, type: 'fact' }))
  return [
    { what: 'recall, three words, 1 client', clients: 1, ...words },
    { what: 'recall, three words, 10 clients', clients: 10, ...words },
    { what: 'recall, a sentence, 1 client', clients: 1, ...sentences },
    { what: 'recall, a sentence, 10 clients', clients: 10, ...sentences },
    { what: 'save, 1 writer', clients: 1, ...save, bodies: turn => notes(turn, saves) },
    { what: 'save, 4 writers', clients: 4, ...save, bodies: turn => notes(turn + 100, saves) },
    { what: 'save with its type, 1 writer', clients: 1, ...save, bodies: turn => typed(turn + 200) },
    { what: 'save with its type, 4 writers', clients: 4, ...save, bodies: turn => typed(turn + 300) },
    { what: 'save with its type, 16 writers', clients: 16, ...save, bodies: turn => typed(turn + 400) },
  ]
}

export function questions(count: number): { query: string }[] {
  const memories = new SyntheticMemories(11, dimensions)
  return Array.from({ length: count }, () => ({ query: memories.query() }))
}

/** The first words of stored memories, without function words. */
function threeWords(count: number): { query: string }[] {
  const memories = new SyntheticMemories(11, dimensions)
  return Array.from({ length: count }, (_, number) => ({
    query: memories
      .entry(number)
      .content.split(' ')
      .filter(word => !smallWords.includes(word))
      .slice(0, 3)
      .join(' '),
  }))
}

export function notes(turn: number, count: number): { content: string }[] {
  return Array.from({ length: count }, (_, number) => ({
    content: `note ${turn} ${number}: the harbour crane number ${(turn * count + number) * 7919} moved ${number % 13} containers`,
  }))
}

async function measurePrograms(builds: readonly Build[], rounds: number): Promise<ProcessFigure[]> {
  const sides = new Map(builds.map(build => [build, temporaryWorkspace()]))
  const servers = []
  for (const [build, { folder }] of sides) {
    const server = await startBuild(build, folder)
    for (const body of notes(0, 20)) await server.ask('POST', '/api/memory/remember', body)
    servers.push(server)
  }
  const figures = await measureProcesses(builds, build => sides.get(build)?.folder ?? '', rounds)
  for (const server of servers) await server.stop()
  for (const { remove } of sides.values()) remove()
  return figures
}
