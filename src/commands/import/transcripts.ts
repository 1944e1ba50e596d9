import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { CliError } from '../../cli/cli-error.js'
import { DaemonCommand } from '../../cli/daemon-command.js'
import { exitCodes } from '../../cli/exit-codes.js'
import { importSummary } from '../../cli/knowledge/import-text.js'
import { filesOf, type ImportDetails, importFiles } from '../../cli/knowledge/import-transcripts.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { formatBytes, print } from '../../cli/output.js'
import { startProgressBar } from '../../cli/progress-bar.js'
import { type CallDaemon, importSession } from '../../cli/sessions/import-sessions.js'
import { type ImportedFiles, openImportedFiles } from '../../cli/sessions/imported-files.js'
import {
  describeSessionFile,
  findSessionFiles,
  type ImportedHarness,
  importedHarnesses,
  type SessionFile,
} from '../../cli/sessions/session-files.js'
import { call } from '../../client/call.js'
import { locate } from '../../client/locate.js'
import { ownCredential } from '../../client/own-credential.js'
import { type ImportAdapter, importAdapters } from '../../contract/knowledge/import-adapters.js'
import { countOf } from '../../lib/count-of.js'
import { eachAtOnce } from '../../lib/each-at-once.js'
import { sessionFolders } from '../../lib/session-folders.js'

/** Receipts that are waited for at once: the daemon captures one after the other anyway. */
const atOnce = 4
const saveEvery = 25

type UploadedImport = ImportDetails | { from: ImportAdapter; dryRun: boolean; files: number; bytes: number }

/** What sessions may be of, as a user says it. */
const forms = new Set([...importedHarnesses, 'claude', ...importAdapters])

/** Rejections that a summary shows. */
const shownRejections = 5

interface TranscriptImport {
  from: ImportedHarness
  dryRun: boolean
  sessions: number
  imported: number
  /** Left alone: imported before, as they are. */
  unchanged: number
  /** Left alone: somebody works in them. */
  live: number
  failed: { path: string; reason: string }[]
}

export default class ImportTranscripts extends DaemonCommand {
  static override summary = 'Take in conversations that harnesses and other programs have kept.'
  static override description =
    'Reads ~/.claude/projects (CLAUDE_CONFIG_DIR), ~/.codex (CODEX_HOME, archived sessions too) or ' +
    '~/.copilot/session-state (COPILOT_HOME), or PATH, newest first. Each session keeps its time and its project. ' +
    'Sessions of sub-agents and sessions that are live are left alone. It can be repeated: only what is new or has ' +
    'grown is read again. Data exports (chatgpt-export, claude-export), exports of this service (service-export), files ' +
    'of Gemini CLI and OpenCode, and everything for a daemon on another machine (SERVICE_DAEMON_URL) are uploaded: ' +
    'broken off, the same command goes on, and memory imports shows them.'
  static override examples = [
    '<%= config.bin %> import transcripts --from claude-code --dry-run',
    '<%= config.bin %> import transcripts --from codex --since 90d',
    '<%= config.bin %> import transcripts --from claude-code ~/backup/projects --project api',
    '<%= config.bin %> import transcripts --from chatgpt-export conversations.json',
  ]
  static override strict = false
  static override args = {
    path: Args.string({
      description: 'Files or folders; the harness’s own when absent.',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    from: Flags.string({
      summary: 'What wrote the sessions.',
      options: [...forms],
    }),
    since: momentFlag({ summary: 'Only sessions that went on after this time (date or 30d).' }),
    project: Flags.string({
      summary: 'Project of all of them, instead of their folders.',
      helpValue: 'NAME',
    }),
    all: Flags.boolean({ summary: 'Read again what was imported before.' }),
    'dry-run': Flags.boolean({ summary: 'Say what would be imported.' }),
  }

  async run(): Promise<TranscriptImport | UploadedImport> {
    const { argv, flags } = await this.parse(ImportTranscripts)
    const named = (argv as string[]).map(path => resolve(path))
    if (flags.from === undefined) throw noForm()
    const form = flags.from === 'claude' ? 'claude-code' : flags.from
    if (isUploaded(form, this.globals.workspace)) {
      const apart = (['since', 'project', 'all'] as const).filter(flag => flags[flag] !== undefined)
      if (apart.length > 0) throw notForUploads(apart)
      return this.upload(form as ImportAdapter, named, flags['dry-run'] ?? false)
    }
    const from = form as ImportedHarness
    const since = momentOf('--since', flags.since)
    const files = await sessionsAt(named.length > 0 ? named : sessionFolders(from, process.env), {
      from,
      since,
      named: named.length > 0,
    })
    refuseOthers(files, from)
    const imported = openImportedFiles(this.globals.workspace)
    const wanted = flags.all ? files : files.filter(file => !imported.has(file))
    const sum: TranscriptImport = {
      from,
      dryRun: flags['dry-run'] ?? false,
      sessions: files.length,
      imported: 0,
      unchanged: files.length - wanted.length,
      live: 0,
      failed: [],
    }
    if (flags['dry-run']) sum.imported = wanted.length
    else await this.importAll(wanted, { sum, imported, project: flags.project })
    if (sum.failed.length > 0) process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(importText(sum))
    return sum
  }

  /** Through the upload API, which works for a daemon on any machine. */
  private async upload(form: ImportAdapter, named: string[], dryRun: boolean): Promise<UploadedImport> {
    const folders =
      form === 'claude-code' || form === 'codex' || form === 'gemini' ? sessionFolders(form, process.env) : []
    const paths = named.length > 0 ? named : folders.filter(folder => existsSync(folder))
    if (paths.length === 0)
      throw new CliError(`say which files: memory import transcripts --from ${form} FILE`, {
        code: 'invalid_input',
        exit: 'usage',
      })
    const files = await filesOf(paths, form)
    if (dryRun) {
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      if (!this.jsonEnabled()) print(`Would upload ${countOf(files.length, 'file')}, ${formatBytes(bytes)}`)
      return { from: form, dryRun, files: files.length, bytes }
    }
    const { agent } = this.globals
    const job = await importFiles(this.callAsOwner(), { form, files, agent })
    const isNothing = job.imported + job.duplicate === 0 && job.rejected > 0
    if (job.state !== 'completed' || isNothing) process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) print(importSummary(job, await this.firstRejections(job)))
    return job
  }

  private async firstRejections(job: ImportDetails) {
    if (job.rejected === 0) return []
    const { rejections } = await this.call('GET /api/sources/imports/:jobId/rejections', {
      params: { jobId: job.id },
    })
    return rejections.slice(0, shownRejections)
  }

  /** The owner of the workspace needs no key of its own for what is on this machine anyway. */
  private callAsOwner(): CallDaemon {
    const { SERVICE_API_KEY, SERVICE_TOKEN } = process.env
    const credential =
      SERVICE_API_KEY || SERVICE_TOKEN ? undefined : () => ownCredential(this.globals.workspace)
    return (address, request) =>
      call(address, request, { ...this.globals, ...(credential && { credential }) })
  }

  private async importAll(
    files: readonly SessionFile[],
    {
      sum,
      imported,
      project,
    }: { sum: TranscriptImport; imported: ImportedFiles; project: string | undefined },
  ): Promise<void> {
    const bar = startProgressBar()
    const options = {
      harness: sum.from,
      project,
      call: this.callAsOwner(),
    }
    let done = 0
    try {
      await eachAtOnce(files, atOnce, async file => {
        const outcome = await importSession(options, file)
        if (outcome.kind === 'failed') sum.failed.push({ path: file.path, reason: outcome.reason })
        else if (outcome.kind === 'live') sum.live++
        else {
          sum.imported++
          imported.add(file)
        }
        done++
        if (done % saveEvery === 0) imported.save()
        bar.update(`${done} of ${files.length} sessions`, done / files.length)
      })
    } finally {
      bar.stop()
      if (done > 0) imported.save()
    }
  }
}

/** Harnesses on the daemon's machine are read where they lie, as their hooks would have them read. */
function isUploaded(form: string, workspace: string | undefined): boolean {
  return !(importedHarnesses as readonly string[]).includes(form) || isRemoteFor(form, workspace)
}

function isRemoteFor(form: string, workspace: string | undefined): boolean {
  return (importAdapters as readonly string[]).includes(form) && locate(workspace).kind === 'remote'
}

function noForm(): CliError {
  return new CliError(`say what wrote the sessions: --from ${[...forms].join(', ')}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['memory import transcripts --from claude-code --dry-run'],
  })
}

function notForUploads(flags: readonly string[]): CliError {
  return new CliError(`--${flags[0]} is for sessions of Claude Code, Codex and Copilot on this machine`, {
    code: 'invalid_input',
    exit: 'usage',
  })
}

/** Sessions below some folders, newest first. @throws CliError `invalid_input` for a path that was named and can't be read. */
async function sessionsAt(
  paths: readonly string[],
  { from, since, named }: { from: ImportedHarness; since: string | undefined; named: boolean },
): Promise<SessionFile[]> {
  const found: SessionFile[] = []
  for (const path of paths)
    try {
      for (const file of await findSessionFiles(path, from)) {
        const session = await describeSessionFile(file)
        if (session && (since === undefined || session.endedAt >= since)) found.push(session)
      }
    } catch (cause) {
      // A harness that was never used has no folder.
      if (!named && (cause as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw new CliError(`cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, {
        code: 'invalid_input',
        exit: 'usage',
        cause,
      })
    }
  return found.sort((a, b) => b.endedAt.localeCompare(a.endedAt))
}

/** Read as what it is not, a session would come in torn or not at all. */
function refuseOthers(files: readonly SessionFile[], from: ImportedHarness): void {
  const others = files.filter(({ harness }) => harness !== undefined && harness !== from)
  const [first] = others
  if (!first) return
  const what = others.length === files.length ? 'These are' : `${others.length} of these ${files.length} are`
  throw new CliError(`${what} sessions of ${first.harness}, not of ${from}: ${first.path}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: [`memory import transcripts --from ${first.harness} PATH`],
  })
}

function importText({ dryRun, imported, unchanged, live, failed }: TranscriptImport): string {
  return [
    `${dryRun ? 'Would import' : 'Imported'} ${countOf(imported, 'session')}`,
    ...(unchanged > 0 ? [`  ${unchanged} left alone: imported before (--all reads them again)`] : []),
    ...(live > 0 ? [`  ${live} left alone: live, they are captured when they end`] : []),
    ...failed.map(({ path, reason }) => `  ${path}: ${reason}`),
  ].join('\n')
}
