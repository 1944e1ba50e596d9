import { once } from 'node:events'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { Args, Flags } from '@oclif/core'
import {
  type AddedDocument,
  type AddOptions,
  addDocument,
  outcomeOf,
  type SubmittedDocument,
  submitDocument,
} from '../../cli/knowledge/documents/add-document.js'
import { documentInputs, isReadable, isSkipped } from '../../cli/knowledge/documents/document-inputs.js'
import { addedText } from '../../cli/knowledge/documents/document-text.js'
import { projectFlag } from '../../cli/memory/project-flags.js'
import { CliError } from '../../cli/shell/cli-error.js'
import { DaemonCommand } from '../../cli/shell/daemon-command.js'
import { exitCodes } from '../../cli/shell/exit-codes.js'
import { colorsFor, print, printNote } from '../../cli/terminal/output.js'
import { signalOfReader, startProgressBar } from '../../cli/terminal/progress.js'
import { call } from '../../client/call.js'
import { locate } from '../../client/daemon/locate.js'
import { eachAtOnce } from '../../lib/concurrency/one-at-a-time.js'
import { ignoreRules } from '../../lib/files/ignore-files.js'
import { countOf } from '../../lib/text/count-of.js'

/** A file counts as written once its size has not changed for this long. */
const settledMs = 300

interface Watch {
  paths: readonly string[]
  onFile(path: string): Promise<void>
  until: Promise<unknown>
}

const atOnce = 8

export default class DocumentsAdd extends DaemonCommand {
  static override summary = 'Add files, folders, web pages or text for recall to search.'
  static override description =
    'Waits until everything is read. Documents that could not be read are listed at the end, and the exit ' +
    'code is then 1. Folders are read recursively; hidden files, node_modules, links and files excluded by ' +
    '.gitignore are skipped. Adding a file again reads it again; adding a known URL again does nothing.'
  static override examples = [
    '<%= config.bin %> documents add README.md docs/',
    '<%= config.bin %> documents add https://example.org/manual',
    'git log -50 | <%= config.bin %> documents add - --title "Recent commits"',
    '<%= config.bin %> documents add notes/ --watch',
  ]
  static override args = {
    what: Args.string({
      description: 'A file, a folder, an http or https URL, or - for stdin.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    title: Flags.string({ summary: 'Title of the document, if you add only one.', helpValue: 'TEXT' }),
    project: projectFlag({ summary: 'Project of the documents.' }),
    watch: Flags.boolean({ summary: 'Keep adding new and changed files until Ctrl-C.' }),
  }

  async run(): Promise<{ documents: AddedDocument[]; failed: number }> {
    const { args, flags } = await this.parse(DocumentsAdd)
    const words = args.what
    const inputs = await documentInputs(words)
    if (flags.title !== undefined && inputs.length !== 1)
      throw new CliError(`--title works with one document, but you are adding ${inputs.length}`, {
        code: 'invalid_input',
        exit: 'usage',
      })
    const options = this.options({ title: flags.title, project: flags.project })
    const documents: AddedDocument[] = []
    const bar = inputs.length > 1 ? startProgressBar() : undefined
    try {
      const submitted: SubmittedDocument[] = []
      await eachAtOnce(inputs, atOnce, async input => {
        submitted.push(await submitDocument(options, input))
        bar?.update(`${submitted.length} of ${inputs.length} documents submitted`, 0)
      })
      // Documents are read in this order, so once one is done, those before it are too and need a single
      // request each.
      for (const one of submitted) {
        documents.push(await outcomeOf(options, one))
        bar?.update(`${documents.length} of ${inputs.length} documents`, documents.length / inputs.length)
      }
    } finally {
      bar?.stop()
    }
    if (inputs.length === 0 && !flags.watch) printNote('No readable documents found.')
    if (!this.jsonEnabled() && inputs.length > 0) print(addedText(documents, colorsFor()))
    if (flags.watch) await this.watch(words, options, documents)
    const failed = documents.filter(({ status }) => status === 'failed').length
    if (failed > 0) process.exitCode = exitCodes.failure.code
    return { documents, failed }
  }

  private options(fields: { title: string | undefined; project: string | undefined }): AddOptions {
    const { globals } = this
    return {
      call: (address, request) => call(address, request, globals),
      fields: { ...fields, agentId: globals.agent },
      sendsText: locate(globals.workspace).kind === 'remote',
    }
  }

  private async watch(
    words: readonly string[],
    options: AddOptions,
    documents: AddedDocument[],
  ): Promise<void> {
    const paths = words
      .filter(word => word !== '-' && !/^https?:\/\//iu.test(word))
      .map(word => resolve(word))
    if (paths.length === 0)
      throw new CliError('--watch needs a file or a folder', { code: 'invalid_input', exit: 'usage' })
    printNote(`Watching ${countOf(paths.length, 'path')}. Press Ctrl-C to stop.`)
    await watchDocuments({
      paths,
      until: once(signalOfReader(), 'abort'),
      onFile: async path => {
        const added = await addDocument(options, { kind: 'file', path })
        documents.push(added)
        const outcome = added.reason ?? countOf(added.chunks, 'passage')
        if (!this.jsonEnabled()) print(`${added.status}  ${path}: ${outcome}`)
      },
    })
  }
}

/**
 * Reports files that are created or changed at some paths. Files that exist at the start are not reported.
 */
async function watchDocuments({ paths, onFile, until }: Watch): Promise<void> {
  const { watch } = await import('chokidar')
  const named = new Set(paths)
  const queue = { last: Promise.resolve() }
  const tell = (path: string): void => {
    if (!named.has(path) && !isReadable(path)) return
    queue.last = queue.last.then(async () => {
      if (named.has(path) || !(await isIgnored(path, paths))) await onFile(path)
    })
  }
  const watcher = watch([...paths], {
    ignoreInitial: true,
    followSymlinks: false,
    awaitWriteFinish: { stabilityThreshold: settledMs, pollInterval: 50 },
    ignored: path => !named.has(path) && isSkipped(basename(path)),
  })
  watcher.on('add', tell).on('change', tell)
  await until
  await watcher.close()
  await queue.last
}

/** Loads the rules each time, because a `.gitignore` may change while its folder is watched. */
async function isIgnored(path: string, watched: readonly string[]): Promise<boolean> {
  const root = watched.find(one => path.startsWith(one + sep))
  if (root === undefined) return false
  let rules = await ignoreRules(root)
  let at = root
  for (const name of relative(root, dirname(path)).split(sep).filter(Boolean)) {
    at = join(at, name)
    if (rules.ignores(at, 'folder')) return true
    rules = await rules.inFolder(at)
  }
  return rules.ignores(path, 'file')
}
