import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { Flags } from '@oclif/core'
import { onInterrupt, passOutput, readCommandLine, type Sinks } from '../../cli/secrets/exec.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { openCommandOutput } from '../../client/stream.js'
import type { Reply } from '../../contract/api.js'
import { workingFolder } from '../../lib/workspace/working-folder.js'

type Command = Reply<'GET /api/secrets/exec/:jobId'>

export default class SecretsExec extends DaemonCommand {
  static override summary =
    'Run a command with secrets in its environment; secrets are removed from its output.'
  static override description =
    'The daemon runs the command in this folder, with its own environment (docs/secret-commands.md) and ' +
    'without stdin. A single word after -- is run by the shell; several words are a program with its ' +
    'arguments. The exit code is that of the command: 124 after a timeout, 130 after Ctrl-C, which stops the ' +
    'command and everything it started.'
  static override usage = 'secrets exec NAME[=REFERENCE]... [flags] -- COMMAND...'
  static override examples = [
    '<%= config.bin %> secrets exec API_KEY -- ./deploy --to staging',
    `<%= config.bin %> secrets exec KEY=API_KEY -- 'curl -H "Authorization: Bearer $KEY" https://api.example.org/me'`,
    '<%= config.bin %> secrets exec PGPASSWORD=DB --timeout 1800 -- pg_dump shop > shop.sql',
  ]
  static override flags = {
    timeout: Flags.integer({
      summary: 'Time limit in seconds.',
      default: 300,
      min: 1,
      max: 1800,
      helpValue: 'SECONDS',
    }),
    cwd: Flags.string({ summary: 'Folder to run in (default: the current one).', helpValue: 'DIR' }),
  }
  // Accepts any number of names. An invalid one may be a secret, which oclif's error would print.
  static override strict = false

  async run(): Promise<Command | undefined> {
    const at = this.argv.indexOf('--')
    const [before, words] = at < 0 ? [this.argv, []] : [this.argv.slice(0, at), this.argv.slice(at + 1)]
    const { argv: names, flags } = await this.parse(SecretsExec, before)
    const { secrets, command } = readCommandLine(names as string[], words)
    const { id } = await this.call('POST /api/secrets/exec', {
      body: { command, secrets, timeoutMs: flags.timeout * 1000, attached: true, ...this.folder(flags.cwd) },
    })
    const { code, interrupted } = await this.follow(id)
    process.exitCode = interrupted ?? code
    return this.jsonEnabled()
      ? await this.call('GET /api/secrets/exec/:jobId', { params: { jobId: id } })
      : undefined
  }

  /** Folders of a remote daemon's machine are unknown here. */
  private folder(given: string | undefined): { cwd?: string } {
    const isRemote = Boolean(process.env.SERVICE_DAEMON_URL)
    if (given !== undefined) return { cwd: isRemote ? given : resolve(given) }
    const folder = isRemote ? undefined : workingFolder()
    return folder === undefined ? {} : { cwd: folder }
  }

  private async follow(jobId: string): Promise<{ code: number; interrupted: number | undefined }> {
    const leaving = new AbortController()
    const end = (): void => {
      this.call('DELETE /api/secrets/exec/:jobId', { params: { jobId } }).catch(() => leaving.abort())
    }
    const interrupts = onInterrupt(end, () => leaving.abort())
    try {
      const source = await openCommandOutput(jobId, { ...this.globals, signal: leaving.signal })
      const { status, error = '', result } = await passOutput(source, this.sinks())
      const interrupted = interrupts.code()
      if (status === 'failed' && interrupted === undefined)
        throw new CliError(error, { code: 'command_failed', exit: 'failure' })
      return { code: result?.code ?? 1, interrupted }
    } catch (error) {
      if (!leaving.signal.aborted) throw error
      return { code: 130, interrupted: interrupts.code() }
    } finally {
      interrupts.close()
    }
  }

  /** With --json the output is a part of the reply. */
  private sinks(): Sinks {
    if (!this.jsonEnabled()) return process
    const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
    return { stdout: nowhere(), stderr: nowhere() }
  }
}
