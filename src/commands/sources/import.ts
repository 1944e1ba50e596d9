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
import { startProgressBar } from '../../cli/terminal/progress-bar.js'
import { call } from '../../client/call.js'
import { locate } from '../../client/daemon/locate.js'
import type { DuplicateMode } from '../../contract/knowledge/sources/source-import.js'
import { eachAtOnce } from '../../lib/concurrency/each-at-once.js'

/** Files on their way at once: the daemon reads one after the other anyway. */
const atOnce = 3
/** Reading one file takes half a minute at most, and those before it have to be read. */
const timeoutMs = 5 * 60_000

export default class SourcesImport extends DaemonCommand {
  static override summary = 'Import files as sources, so that recall finds what they say.'
  static override description =
    'Takes text, Markdown, JSON, HTML, CSV, PDF, office documents and e-books; their text is kept, never their bytes. A ' +
    'folder brings the documents in it, without hidden ones, node_modules and links; patterns may be quoted. Each file is ' +
    'taken whole or not at all; what could not be read stands in a table at the end, and the exit code is 1 then.'
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
        'A file that was imported before: leave it, replace what was made of it, or read it again in its place.',
      options: ['skip', 'replace', 'reimport'],
      default: 'skip',
    }),
    name: Flags.string({
      summary: 'Name of what comes from stdin; its ending tells the format.',
      helpValue: 'FILE',
    }),
  }

  async run(): Promise<{ imported: number; failed: number; files: ImportedFile[] }> {
    const { args, flags } = await this.parse(SourcesImport)
    const named = args.file
    const inputs = await inputsOf(named, flags.name)
    if (inputs.length === 0)
      throw wrong(
        `there is no file that can be imported in ${named.join(', ')}`,
        'memory sources import --help tells the formats; a file may be named itself',
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

/** @throws CliError `invalid_input` for an address, and for stdin without a name. */
async function inputsOf(words: readonly string[], name: string | undefined): Promise<ImportInput[]> {
  const inputs = await documentInputs(words)
  return inputs.map(input => {
    if (input.kind === 'file') return input
    if (input.kind === 'url')
      throw wrong(`${input.url} is an address`, 'memory documents add ADDRESS reads a page')
    if (name === undefined) throw wrong('what comes from stdin needs a name', 'add --name notes.md')
    return { kind: 'stdin', name }
  })
}

function wrong(message: string, nextStep: string): CliError {
  return new CliError(message, { code: 'invalid_input', exit: 'usage', nextSteps: [nextStep] })
}
