import { Args, Flags } from '@oclif/core'
import { documentInputs } from '../../cli/knowledge/documents/document-inputs.js'
import {
  type ImportedFile,
  type ImportInput,
  type ImportOptions,
  importedText,
  importFile,
} from '../../cli/knowledge/sources/import.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print } from '../../cli/terminal/output.js'
import { startProgressBar } from '../../cli/terminal/progress.js'
import { call } from '../../client/call.js'
import { locate } from '../../client/daemon/locate.js'
import type { DuplicateMode } from '../../contract/knowledge/sources/source-import.js'
import { eachAtOnce } from '../../lib/concurrency/one-at-a-time.js'

/** Number of concurrent requests; the daemon reads the files one after another anyway. */
const atOnce = 3
/** Reading one file takes at most half a minute, after the files before it. */
const timeoutMs = 5 * 60_000

export default class SourcesImport extends DaemonCommand {
  static override summary = 'Import files as sources for recall to search.'
  static override description =
    'Imports text, Markdown, JSON, HTML, CSV, PDF, office documents and e-books; only their text is stored. ' +
    'Folders are read recursively; hidden files, node_modules and links are skipped. Quote patterns to keep ' +
    'the shell from expanding them. Each file is imported completely or not at all. Files that could not be ' +
    'read are listed at the end, and the exit code is then 1.'
  static override examples = [
    '<%= config.bin %> sources import report.pdf notes/',
    "<%= config.bin %> sources import 'exports/**/*.csv' --duplicate-mode replace",
    'git log -50 | <%= config.bin %> sources import - --name commits.txt',
  ]
  static override args = {
    file: Args.string({
      description: 'A file, a folder, a pattern, or - for stdin.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'duplicate-mode': Flags.string({
      summary:
        'For a file that was imported before: skip it, replace its imported content, or import it again in place.',
      options: ['skip', 'replace', 'reimport'],
      default: 'skip',
    }),
    name: Flags.string({
      summary: 'File name for stdin; its extension determines the format.',
      helpValue: 'FILE',
    }),
  }

  async run(): Promise<{ imported: number; failed: number; files: ImportedFile[] }> {
    const { args, flags } = await this.parse(SourcesImport)
    const named = args.file
    const inputs = await inputsOf(named, flags.name)
    if (inputs.length === 0)
      throw invalidInput(
        `no files to import in ${named.join(', ')}`,
        'memory sources import --help   lists the formats; you can also name a file directly',
      )
    const options: ImportOptions = {
      call: (address, request) => call(address, request, { ...this.globals, timeoutMs }),
      fields: {
        duplicateMode: flags['duplicate-mode'] as DuplicateMode,
        agentId: this.globals.agent,
      },
      sendsBytes: locate(this.globals.workspace).kind === 'remote',
    }
    const files: ImportedFile[] = []
    const bar = inputs.length > 1 ? startProgressBar() : undefined
    try {
      await eachAtOnce(inputs, atOnce, async input => {
        files.push(await importFile(options, input))
        bar?.update(`${files.length} of ${inputs.length} files`, files.length / inputs.length)
      })
    } finally {
      bar?.stop()
    }
    if (!this.jsonEnabled()) print(importedText(files, colorsFor()))
    const failed = files.filter(({ status }) => status === 'failed').length
    if (failed > 0) process.exitCode = exitCodes.failure.code
    return { imported: files.filter(({ status }) => status === 'imported').length, failed, files }
  }
}

/** @throws CliError `invalid_input` for a URL, and for stdin without a name. */
async function inputsOf(words: readonly string[], name: string | undefined): Promise<ImportInput[]> {
  const inputs = await documentInputs(words)
  return inputs.map(input => {
    if (input.kind === 'file') return input
    if (input.kind === 'url')
      throw invalidInput(
        `${input.url} is a web address, not a file`,
        'memory documents add URL   reads a web page',
      )
    if (name === undefined) throw invalidInput('--name is required for stdin', 'add --name notes.md')
    return { kind: 'stdin', name }
  })
}

function invalidInput(message: string, nextStep: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage', nextSteps: [nextStep] })
}
