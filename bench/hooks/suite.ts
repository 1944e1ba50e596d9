import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { type HarnessHook, harnessHooks } from '../../src/contract/sessions/harness-names.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { version } from '../../src/lib/workspace/version.js'
import { startMeasuredDaemon } from '../daemon/daemon-process.js'
import { temporaryWorkspace } from '../daemon/workspace.js'
import { environmentNote } from '../environment.js'
import { percentile } from '../index/measure.js'
import { type HookRun, runHook, runNode } from './hook-run.js'

/** State of the daemon while hooks are called. */
type State = 'up' | 'down' | 'hanging'

export interface HookFigure {
  daemon: State
  hook: HarnessHook | 'node -e 0'
  p50Ms: number
  p95Ms: number
  /** Median ratio to the `node -e 0` run beside each hook run; absent when the daemon hangs. */
  ratio?: number
  /** Ratio of total processor time over all runs; more reliable than the clock on a busy machine. */
  cpuRatio?: number
  /** Runs that hit their deadline although the daemon was up: the machine is too busy for a valid result. */
  late?: number
}

/**
 * Compares hook commands with `node -e 0` in the same run. The daemon is up, down, or accepts connections
 * without ever answering (9 s a run, since each hook waits for its deadline).
 * @throws Error when a hook does not exit with 0, or prints although no daemon answers
 */
export async function runHooksSuite({ runs = 20 }: { runs?: number } = {}): Promise<HookFigure[]> {
  return [...(await measureUp(runs)), ...(await measureDown(runs)), ...(await measureHanging(runs))]
}

async function measureUp(runs: number): Promise<HookFigure[]> {
  const workspace = temporaryWorkspace()
  const daemon = await startMeasuredDaemon(workspace.folder)
  for (let n = 0; n < 50; n++)
    await daemon.ask('POST', '/api/memory/remember', { content: `the harbour crane lifts load ${n}` })
  const figures = await inTurn('up', workspace.folder, runs)
  await daemon.stop()
  workspace.remove()
  return figures
}

async function measureDown(runs: number): Promise<HookFigure[]> {
  const workspace = temporaryWorkspace()
  const figures = await inTurn('down', workspace.folder, runs)
  workspace.remove()
  return figures
}

/** All hooks and `node -e 0` take turns, so that other load affects them alike. */
async function inTurn(daemon: State, folder: string, runs: number): Promise<HookFigure[]> {
  const node: HookRun[] = []
  const hooks = new Map<HarnessHook, HookRun[]>(harnessHooks.map(hook => [hook, []]))
  for (let round = 0; round < runs; round++) {
    node.push(await runNode(['-e', '0'], {}))
    for (const hook of harnessHooks)
      hooks.get(hook)?.push(checked(daemon, hook, await runHook(hook, environmentOf(folder))))
  }
  return [
    figure(daemon, 'node -e 0', node),
    ...[...hooks].map(([hook, taken]) => ({
      ...figure(daemon, hook, taken),
      ...ratios(taken, node),
      ...(daemon === 'up' && { late: taken.filter(isLate).length }),
    })),
  ]
}

function ratios(taken: readonly HookRun[], node: readonly HookRun[]): Pick<HookFigure, 'ratio' | 'cpuRatio'> {
  const cpuRatio = sumOf(taken) / sumOf(node)
  return {
    ratio: percentile(
      taken.map(({ ms }, round) => ms / (node[round]?.ms ?? ms)),
      0.5,
    ),
    ...(Number.isFinite(cpuRatio) && { cpuRatio }),
  }
}

function sumOf(runs: readonly HookRun[]): number {
  return runs.reduce((sum, { cpuMs = Number.NaN }) => sum + cpuMs, 0)
}

async function measureHanging(runs: number): Promise<HookFigure[]> {
  const workspace = temporaryWorkspace()
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(server, 'listening')
  register(workspace.folder, (server.address() as AddressInfo).port)
  const figures: HookFigure[] = []
  for (const hook of harnessHooks) {
    const taken: HookRun[] = []
    for (let run = 0; run < runs; run++)
      taken.push(checked('hanging', hook, await runHook(hook, environmentOf(workspace.folder))))
    figures.push(figure('hanging', hook, taken))
  }
  server.close()
  workspace.remove()
  return figures
}

function register(folder: string, port: number): void {
  const { daemonDir, registration } = workspacePaths(folder)
  mkdirSync(daemonDir, { recursive: true })
  const own = { pid: process.pid, host: '127.0.0.1', port, version, startedAt: '', workspace: folder }
  writeFileSync(registration, JSON.stringify(own))
}

function environmentOf(folder: string): NodeJS.ProcessEnv {
  return { SERVICE_WORKSPACE: folder, SERVICE_NO_AUTOSTART: '1', SERVICE_DAEMON_URL: '' }
}

function checked(daemon: State, hook: HarnessHook, run: HookRun): HookRun {
  const isSound = daemon === 'up' ? run.stderr === '' || isLate(run) : run.stdout === ''
  if (run.code === 0 && isSound) return run
  throw new Error(`${hook} with the daemon ${daemon} ended with ${run.code}: ${run.stdout}${run.stderr}`)
}

function isLate({ stderr }: HookRun): boolean {
  return /no (?:answer|input) /u.test(stderr)
}

function figure(daemon: State, hook: HookFigure['hook'], runs: readonly HookRun[]): HookFigure {
  const values = runs.map(({ ms }) => ms)
  return { daemon, hook, p50Ms: percentile(values, 0.5), p95Ms: percentile(values, 0.95) }
}

export function formatHooksSuite(figures: readonly HookFigure[]): string {
  const times = (ratio: number | undefined): string =>
    ratio === undefined ? '' : `${ratio.toFixed(2)} times`
  const rows = figures.map(
    ({ daemon, hook, p50Ms, p95Ms, ratio, cpuRatio, late }) =>
      `| ${daemon}${late ? `, ${late} late` : ''} | ${hook} | ${p50Ms.toFixed(0)} ms | ${p95Ms.toFixed(0)} ms | ${times(ratio)} | ${times(cpuRatio)} |`,
  )
  const head = '| daemon | hook | p50 | p95 | of node -e 0 | its CPU |'
  return [head, '|---|---|--:|--:|--:|--:|', ...rows, '', environmentNote].join('\n')
}
