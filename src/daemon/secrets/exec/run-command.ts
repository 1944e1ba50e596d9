import { AppError } from '../../../contract/ground/errors.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { clip } from '../../../lib/text/clip.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type GroupEnd, passedVariables, runGroup } from '../../platform/processes/run-group.js'
import type { CommandEnd, CommandJob } from './command-job.js'
import { valuesOf } from './injected-values.js'
import { partsOf } from './redact/encodings.js'
import { createRedactor, type Redactor } from './redact/redactor.js'

type Deps = Pick<Daemon, 'secrets'>

/** Characters of a command in the audit log. */
const auditedLength = 200

const searchedLength = 16 * 1024

export type CommandDeps = Pick<
  Daemon,
  'secrets' | 'plugins' | 'environment' | 'paths' | 'log' | 'budget' | 'clock'
>

/** Runs a command with its secrets. The values leave this function only in its environment. Never throws. */
export async function runCommand(deps: CommandDeps, job: CommandJob): Promise<CommandEnd> {
  try {
    // A password manager may take half a minute; a cancellation does not wait for it.
    const values = await unlessAborted(
      valuesOf(deps, job.request.references),
      job.signal,
      reason => new AppError('conflict', String(reason)),
    )
    const redactor = await createRedactor(Object.values(values))
    audit(deps, job, 'secret.exec.started', 'ok', {
      command: await auditedCommand(deps, job.request.command, redactor),
    })
    const end = commandEndOf(await run(deps, job, { values, redactor }), { job, redactor })
    const { code, timedOut, durationMs } = end.result ?? {}
    audit(deps, job, 'secret.exec.ended', end.status === 'completed' ? 'ok' : 'failed', {
      ...(end.error !== undefined && { reason: end.error }),
      ...(end.result && { code, timedOut, durationMs }),
    })
    return end
  } catch (error) {
    const message = error instanceof AppError ? error.message : 'the command failed inside the daemon'
    if (!(error instanceof AppError)) deps.log.error({ err: error, job: job.id }, 'command not run')
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
      env: { ...passedVariables(environment), ...values },
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

function commandEndOf(
  { status, code, durationMs, gone, error = '' }: GroupEnd,
  { job, redactor }: { job: CommandJob; redactor: Redactor },
): CommandEnd {
  const result = { code, timedOut: status === 'timed_out', durationMs }
  if (status === 'not_started')
    return { status: 'failed', error: `the command could not be started: ${redactor.text(error)}` }
  if (status === 'cancelled') return { status: 'failed', error: String(job.signal.reason), result, gone }
  return { status: 'completed', result, gone }
}

/** Logs names and numbers. The redacted command text goes only into the audit log of plugins. */
function audit(
  { plugins, log }: CommandDeps,
  { id, request }: CommandJob,
  event: string,
  result: 'ok' | 'failed',
  data: Record<string, unknown>,
): void {
  const { actor, peer } = request.caller
  const variables = Object.keys(request.references)
  log.info(
    { audit: event, actor, peer, job: id, variables, result },
    `command with secrets: ${event.replace(/^.*\./u, '')}`,
  )
  const references = Object.values(request.references)
  plugins.audit({
    event,
    pluginId: 'service.secrets',
    result,
    source: 'exec',
    data: { actor, peer, job: id, variables, references, ...data },
  })
}

/**
 * Returns the beginning of a command for the audit log, without its values, other stored secrets typed into
 * it, and text that looks like a credential.
 */
async function auditedCommand(deps: Deps, command: string, redactor: Redactor): Promise<string> {
  const text = redactor.text(command).slice(0, searchedLength)
  try {
    const typed = await createRedactor(await storedPartsIn(deps, text))
    return clip(withoutSecrets(typed.text(text)), auditedLength)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return '[hidden: the secret store cannot be opened]'
  }
}

/** Returns the parts of stored values that occur in a text. @throws AppError the errors of the store */
async function storedPartsIn({ secrets: { store } }: Deps, text: string): Promise<string[]> {
  const breathe = everyFewMs()
  const typed: string[] = []
  for (const name of await store.names())
    for (const part of partsOf((await store.get(name)) ?? '')) {
      if (text.includes(part)) typed.push(part)
      const pause = breathe()
      if (pause) await pause
    }
  return typed
}
