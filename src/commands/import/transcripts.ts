import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { filesOf, type ImportDetails, importFiles } from '../../cli/knowledge/import/transcripts.js'
import { callAsOwner } from '../../cli/knowledge/import/upload-import.js'
import { importSummary } from '../../cli/knowledge/imports.js'
import { momentFlag, momentOf } from '../../cli/memory/flags.js'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { findEarlierSessions } from '../../cli/operations/setup/find-on-machine.js'
import { importKindOf } from '../../cli/sessions/import-kind.js'
import { importLogs, type LogsImport, logsText, plannedImport } from '../../cli/sessions/import-logs.js'
import { pickLogs, sessionLogsAt } from '../../cli/sessions/session-logs.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { print, printNote } from '../../cli/terminal/output.js'
import {
  type ExportAdapter,
  exportAdapters,
  type LogAdapter,
  logAdapters,
} from '../../contract/knowledge/import-adapters.js'
import { countOf, formatBytes } from '../../lib/text/count-of.js'
import { sessionFolders } from '../../lib/workspace/harness-files.js'

type UploadedImport = ImportDetails | { from: ExportAdapter; dryRun: boolean; files: number; bytes: number }

const forms = new Set<string>([...logAdapters, 'claude', ...exportAdapters])

const shownRejections = 5

interface ImportInput {
  named: string[]
  project: string | undefined
  dryRun: boolean
}

export default class ImportTranscripts extends DaemonCommand {
  static override summary = 'Import past conversations from coding agents and chat apps.'
  static override description =
    'Reads PATH, or by default the folder in which the coding agent keeps its sessions (docs/transcripts.md), ' +
    'newest first; without --from and PATH those of all agents. Sessions ' +
    'keep their time and project. Sessions of sub-agents and live sessions are skipped. The command can be ' +
    'repeated: only new and grown sessions are read. For data exports (chatgpt-export, claude-export, ' +
    'gemini-takeout), exports of this service (service-export) and of OpenCode, PATH is required. Files are ' +
    'uploaded, also to a daemon on another machine (SERVICE_DAEMON_URL). To continue an interrupted upload, ' +
    'run the same command again; memory imports list shows its state.'
  static override examples = [
    '<%= config.bin %> import transcripts --from claude-code --dry-run',
    '<%= config.bin %> import transcripts --from codex --since 90d',
    '<%= config.bin %> import transcripts --from claude-code ~/backup/projects --project api',
    '<%= config.bin %> import transcripts --from chatgpt-export conversations.json',
    '<%= config.bin %> import transcripts --from gemini-takeout ~/Downloads/Takeout',
  ]
  static override strict = false
  static override args = {
    path: Args.string({
      description: 'Files or folders (default: the folder of the coding agent).',
      ignoreStdin: true,
    }),
  }
  static override flags = {
    from: Flags.string({
      summary:
        'Program or format of the conversations (default: by their content; without PATH, all programs).',
      options: [...forms],
    }),
    since: momentFlag({ summary: 'Only sessions that were active after this time (date or 30d).' }),
    project: projectFlag({
      summary: 'Project for all sessions, instead of their own.',
      helpValue: 'NAME',
    }),
    all: Flags.boolean({ summary: 'Also read sessions that were already imported.' }),
    'dry-run': Flags.boolean({ summary: 'Show what would be imported without importing it.' }),
  }

  async run(): Promise<LogsImport | UploadedImport | { imports: LogsImport[] }> {
    const { argv, flags } = await this.parse(ImportTranscripts)
    const named = (argv as string[]).map(path => resolve(path))
    if (flags.from === undefined && named.length === 0) return this.importAll(flags)
    const form = flags.from === 'claude' ? 'claude-code' : (flags.from ?? (await formOf(named)))
    const wanted = {
      named,
      project: flags.project,
      dryRun: flags['dry-run'] ?? false,
    }
    if (isHarness(form)) {
      const since = momentOf('--since', flags.since)
      return this.importSessions(form, wanted, { since, all: flags.all ?? false })
    }
    const apart = (['since', 'all'] as const).find(flag => flags[flag] !== undefined)
    if (apart) throw onlyForLogs(apart)
    return this.importExports(form as ExportAdapter, wanted)
  }

  /** Imports the sessions of every coding agent that has some on this machine. */
  private async importAll(flags: {
    project?: string | undefined
    since?: string | undefined
    all: boolean
    'dry-run': boolean
  }): Promise<{ imports: LogsImport[] }> {
    const since = momentOf('--since', flags.since)
    const wanted = { named: [], project: flags.project, dryRun: flags['dry-run'] }
    const imports: LogsImport[] = []
    for (const { from } of await findEarlierSessions(process.env)) {
      if (!this.jsonEnabled()) printNote(`Sessions of ${from}:`)
      imports.push(await this.importSessions(from, wanted, { since, all: flags.all }))
    }
    if (imports.length === 0) printNote('No sessions of coding agents were found on this machine.')
    return { imports }
  }

  private async importSessions(
    from: LogAdapter,
    { named, project, dryRun }: ImportInput,
    { since, all }: { since: string | undefined; all: boolean },
  ): Promise<LogsImport> {
    const paths = named.length > 0 ? named : sessionFolders(from, process.env)
    const logs = await sessionLogsAt(paths, { from, since, named: named.length > 0 })
    const ask = callAsOwner(this.globals)
    const { agent } = this.globals
    const picked = await pickLogs(ask, logs, { from, agent, all })
    const sum = dryRun
      ? plannedImport(from, picked)
      : await importLogs(ask, { from, paths, agent, project }, picked)
    if (sum.failed.length > 0 || sum.stopped !== null) process.exitCode = exitCodes.failure.code
    if (!this.jsonEnabled()) {
      print(logsText(sum))
      if (sum.imported > 0 && !dryRun)
        printNote(
          'Next: memory dream run --wait finds facts in them; memory sessions search WORDS searches them',
        )
    }
    return sum
  }

  private async importExports(
    form: ExportAdapter,
    { named, project, dryRun }: ImportInput,
  ): Promise<UploadedImport> {
    if (named.length === 0)
      throw new CliError(`no files given: memory import transcripts --from ${form} FILE`, {
        code: 'invalid_input',
        exit: 'usage',
      })
    const files = await filesOf(named, form)
    if (dryRun) {
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      if (!this.jsonEnabled()) print(`Would upload ${countOf(files.length, 'file')}, ${formatBytes(bytes)}`)
      return { from: form, dryRun, files: files.length, bytes }
    }
    const { agent } = this.globals
    const job = await importFiles(callAsOwner(this.globals), { form, files, agent, project })
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
}

function isHarness(form: string): form is LogAdapter {
  return (logAdapters as readonly string[]).includes(form)
}

/** Returns the form of files that all have the same one. @throws CliError if it is unknown. */
async function formOf(named: readonly string[]): Promise<string> {
  const found = new Set(await Promise.all(named.map(importKindOf)))
  const [form = ''] = found
  if (found.size === 1 && forms.has(form)) return form
  throw noForm()
}

function noForm(): CliError {
  return new CliError(`--from is missing; choose one of ${[...forms].join(', ')}`, {
    code: 'invalid_input',
    exit: 'usage',
    nextSteps: ['memory import transcripts --from claude-code --dry-run'],
  })
}

function onlyForLogs(flag: string): CliError {
  return new CliError(`--${flag} works only with session logs: --from ${logAdapters.join(', ')}`, {
    code: 'invalid_input',
    exit: 'usage',
  })
}
