import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { measuredEnvironment } from '../environment.js'
import { inputs, runNode } from '../hooks/hook-run.js'
import { percentile } from '../index/measure.js'
import type { Build } from './build.js'

/** Cost of a program that an agent or a person starts, beside `node -e 0`. */
export interface ProcessFigure {
  what: string
  build: string
  p50Ms: number
  /** Ratio to `node -e 0` of the same turns, by the clock and by processor time. */
  ratio: number
  cpuRatio: number
}

const hook = 'user-prompt-submit'

interface Program {
  what: string
  build: string
  run(): Promise<{ ms: number; cpuMs: number }>
}

/** Runs all programs in turns. @param workspace of a running daemon, by build */
export async function measureProcesses(
  builds: readonly Build[],
  workspace: (build: Build) => string,
  rounds: number,
): Promise<ProcessFigure[]> {
  const programs = [nothing(), ...builds.flatMap(build => programsOf(build, workspace(build)))]
  const runs = programs.map((): { ms: number; cpuMs: number }[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, program] of programs.entries()) runs[index]?.push(await program.run())
  const [base] = runs
  const cpuOf = (some: typeof base): number => (some ?? []).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  return programs.map(({ what, build }, index) => {
    const own = runs[index] ?? []
    const ratios = own.map(({ ms }, round) => ms / (base?.[round]?.ms ?? Number.NaN))
    return {
      ...{ what, build },
      p50Ms: percentile(
        own.map(({ ms }) => ms),
        0.5,
      ),
      ratio: percentile(ratios, 0.5),
      cpuRatio: cpuOf(own) / cpuOf(base),
    }
  })
}

function nothing(): Program {
  return { what: 'node -e 0', build: '', run: () => timesOf(['-e', '0'], {}) }
}

function programsOf({ name, root }: Build, workspace: string): Program[] {
  const environment = { SERVICE_WORKSPACE: workspace, SERVICE_NO_AUTOSTART: '1' }
  const bin = join(root, 'bin', 'run.js')
  return [
    {
      what: `memory hook ${hook}`,
      build: name,
      run: () => timesOf([bin, 'hook', hook, '-H', 'claude-code'], environment, inputs[hook]),
    },
    { what: 'memory recall', build: name, run: () => timesOf([bin, 'recall', 'harbour'], environment) },
    {
      what: 'MCP, first answer',
      build: name,
      run: () => firstAnswer(join(root, 'bin', 'mcp.js'), environment),
    },
  ]
}

async function timesOf(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  input?: string,
): Promise<{ ms: number; cpuMs: number }> {
  const { ms, cpuMs = Number.NaN } = await runNode(args, environment, input)
  return { ms, cpuMs }
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
}

/** From the start of the stdio server until it answers the first request. */
async function firstAnswer(
  bin: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ ms: number; cpuMs: number }> {
  const started = performance.now()
  const child = spawn(process.execPath, [bin], {
    env: measuredEnvironment(environment),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.write(`${JSON.stringify(initialize)}\n`)
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('exit', code => reject(new Error(`the MCP server ended with ${code} before it answered`)))
  })
  const ms = performance.now() - started
  child.removeAllListeners('exit')
  const exited = new Promise(resolve => child.once('exit', resolve))
  child.stdin.end()
  await exited
  return { ms, cpuMs: Number.NaN }
}
