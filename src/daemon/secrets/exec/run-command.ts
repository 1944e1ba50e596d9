import { AppError } from '../../../contract/ground/errors.js'
import { unlessAborted } from '../../../lib/concurrency/unless-aborted.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import { childEnvironment } from './child-environment.js'
import type { CommandEnd, CommandJob } from './command-job.js'
import { valuesOf } from './injected-values.js'
import { createRedactor, type Redactor } from './redact/redactor.js'
import { toldCommand } from './told-command.js'

export type CommandDeps = Pick<
  Daemon,
  'secrets' | 'plugins' | 'environment' | 'paths' | 'log' | 'budget' | 'clock'
>

/** Runs a command with its secrets: from here on no value leaves but into its environment. Never throws. */
export async function runCommand(deps: CommandDeps, job: CommandJob): Promise<CommandEnd> {
  try {
    // A password manager may take half a minute, and others may be asked before: who cancels does not wait for it.
    const values = await unlessAborted(
      valuesOf(deps, job.request.references),
      job.signal,
      reason => new AppError('conflict', String(reason)),
    )
    const redactor = await createRedactor(Object.values(values))
    audit(deps, job, 'secret.exec.started', 'ok', {
      command: await toldCommand(deps, job.request.command, redactor),
    })
    const end = endOf(await run(deps, job, { values, redactor }), { job, redactor })
    const { code, timedOut, durationMs } = end.result ?? {}
    audit(deps, job, 'secret.exec.ended', end.status === 'completed' ? 'ok' : 'failed', {
      ...(end.error !== undefined && { reason: end.error }),
      ...(end.result && { code, timedOut, durationMs }),
    })
    return end
  } catch (error) {
    const message = error instanceof AppError ? error.message : 'the command failed inside the daemon'
    if (!(error instanceof AppError)) deps.log.error({ err: error, job: job.id }, 'a command was not run')
    audit(deps, job, 'secret.exec.ended', 'failed', { reason: message })
    return { status: 'failed', error: message }
  }
}

async function run(
  { paths, log, environment, budget }: CommandDeps,
  job: CommandJob,
  { values, redactor }: { values: Record<string, string>; redactor: Redactor },
): Promise<GroupEnd> {
  const { command, cwd, timeoutMs } = job.request
  const output = { stdout: redactor.begin(), stderr: redactor.begin() }
  const end = await runGroup(
    { paths, log },
    {
      command,
      cwd,
      env: { ...childEnvironment(environment), ...values },
      timeoutMs,
      signal: job.signal,
      onOutput: async (stream, chunk) => {
        await budget.breathe()
        await job.add(stream, output[stream].push(chunk))
      },
    },
  )
  await job.add('stdout', output.stdout.end())
  await job.add('stderr', output.stderr.end())
  return end
}

function endOf(
  { status, code, durationMs, gone, error = '' }: GroupEnd,
  { job, redactor }: { job: CommandJob; redactor: Redactor },
): CommandEnd {
  const result = { code, timedOut: status === 'timed_out', durationMs }
  if (status === 'not_started')
    return { status: 'failed', error: `the command could not be started: ${redactor.text(error)}` }
  if (status === 'cancelled') return { status: 'failed', error: String(job.signal.reason), result, gone }
  return { status: 'completed', result, gone }
}

/** Names and figures; of the command only what holds no value and looks like none, and only in the log of plugins. */
function audit(
  { plugins, log }: CommandDeps,
  { id, request }: CommandJob,
  event: string,
  result: 'ok' | 'failed',
  data: Record<string, unknown>,
): void {
  const { actor, peer } = request.caller
  const variables = Object.keys(request.references)
  log.info({ audit: event, actor, peer, job: id, variables, result }, 'secrets')
  const references = Object.values(request.references)
  plugins.audit({
    event,
    pluginId: 'service.secrets',
    result,
    source: 'exec',
    data: { actor, peer, job: id, variables, references, ...data },
  })
}
