import { AppError } from '../../../contract/ground/errors.js'
import { everyFewMs } from '../../../lib/concurrency/every-few-ms.js'
import { unlessAborted } from '../../../lib/concurrency/stop-waiting.js'
import { clip } from '../../../lib/text/clip.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { type GroupEnd, runGroup } from '../../platform/processes/run-group.js'
import type { CommandEnd, CommandJob } from './command-job.js'
import { valuesOf } from './injected-values.js'
import { partsOf } from './redact/encodings.js'
import { createRedactor, type Redactor } from './redact/redactor.js'

type Deps = Pick<Daemon, 'secrets'>

/** Characters of a command that the audit log tells, and among which stored values are looked for. */
const toldLength = 200

const lookedAtLength = 16 * 1024

/** What programs need to find their files, tools, language and way to the network (secret-commands.md 3). */
const passedOn: readonly RegExp[] = [
  /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|TERM|LANG|LANGUAGE|NO_COLOR|SSH_AUTH_SOCK|DISPLAY|WAYLAND_DISPLAY)$/,
  /^(LC|XDG)_/,
  /^(HTTP|HTTPS|FTP|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  // Windows has these in any case.
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?|PROGRAMW6432|COMMONPROGRAMFILES|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE|OS)$/i,
]

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

/**
 * The environment of a command, besides its secrets: the daemon was started by whoever came first, so that keys and
 * tokens of that shell, and the daemon's own, are none of the command's business.
 */
function childEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => passedOn.some(pattern => pattern.test(name))),
  )
}

/**
 * The beginning of a command as the audit log tells it: without the values that the command gets, without those of other
 * secrets that somebody typed into it, and without what looks like a credential.
 */
async function toldCommand(deps: Deps, command: string, redactor: Redactor): Promise<string> {
  const text = redactor.text(command).slice(0, lookedAtLength)
  try {
    const typed = await createRedactor(await typedInto(deps, text))
    return clip(withoutSecrets(typed.text(text)), toldLength)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return '[not told: the store of secrets does not open]'
  }
}

/** What of the stored values stands in a text. @throws AppError those of the store */
async function typedInto({ secrets: { store } }: Deps, text: string): Promise<string[]> {
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
