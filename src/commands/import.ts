import { open as openFile } from 'node:fs/promises'
import { Args, Flags } from '@oclif/core'
import { documentInputs } from '../cli/knowledge/documents/document-inputs.js'
import { type ImportReply, importLines, importParts, joinReplies } from '../cli/memory/import.js'
import { type ImportKind, importKindOf, isSealedFile } from '../cli/sessions/import-kind.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { unreadablePath } from '../cli/shell/unreadable-path.js'
import { print } from '../cli/terminal/output.js'
import { startProgressBar } from '../cli/terminal/progress.js'
import { call } from '../client/call.js'
import { countOf } from '../lib/text/count-of.js'
import DocumentsAdd from './documents/add.js'
import ImportTranscripts from './import/transcripts.js'

/** A part takes seconds, on a busy machine minutes. */
const partTimeoutMs = 600_000

type ImportOutcome = object

export default class Import extends DaemonCommand {
  static override summary = 'Import sessions, documents, conversations or an export of memories.'
  static override description =
    'Reads each once; to follow a folder: memory sources add folder. Without WHAT, imports the earlier sessions of ' +
    'all coding agents on this machine. Session logs, data exports of ChatGPT and Claude, and exports of ' +
    'memories are recognized by their content; folders, web pages and other files become documents. An ' +
    'export of memories keeps ids, history, versions and timestamps. Memories that already exist are not ' +
    'changed, so an import can be repeated, and continues where it was interrupted. Invalid lines are ' +
    "skipped and listed; if a line of a memory's history is invalid, the whole memory is skipped."
  static override examples = [
    '<%= config.bin %> import',
    '<%= config.bin %> import docs/ https://example.org/manual',
    '<%= config.bin %> import conversations.json',
    '<%= config.bin %> import backup.jsonl --dry-run',
    'gunzip -c backup.jsonl.gz | <%= config.bin %> import -',
  ]
  static override args = {
    what: Args.string({
      description: 'Files, folders or web pages; - reads an export of memories from stdin.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Show what would be imported.' }),
  }

  async run(): Promise<ImportOutcome | { imports: ImportOutcome[] }> {
    const { args, flags } = await this.parse(Import)
    const words = args.what ?? []
    if (words.length === 0) return this.runOther(ImportTranscripts, dryRunOf(flags))
    const kinds = new Map<ImportKind, string[]>()
    for (const word of words) {
      const kind = await importKindOf(word)
      kinds.set(kind, [...(kinds.get(kind) ?? []), word])
    }
    const outcomes: ImportOutcome[] = []
    for (const [kind, named] of kinds) outcomes.push(...(await this.importNamed(kind, named, flags)))
    return outcomes.length === 1 ? (outcomes[0] as ImportOutcome) : { imports: outcomes }
  }

  private async importNamed(
    kind: ImportKind,
    named: readonly string[],
    flags: { 'dry-run': boolean },
  ): Promise<ImportOutcome[]> {
    if (kind === 'documents') return [await this.importDocuments(named, flags['dry-run'])]
    if (kind !== 'memories')
      return [await this.runOther(ImportTranscripts, [...named, '--from', kind, ...dryRunOf(flags)])]
    const replies: ImportReply[] = []
    for (const file of named) replies.push(await this.restore(file, flags['dry-run']))
    return replies
  }

  private async importDocuments(named: readonly string[], dryRun: boolean): Promise<ImportOutcome> {
    if (!dryRun) return this.runOther(DocumentsAdd, named)
    const documents = await documentInputs(named)
    if (!this.jsonEnabled()) print(`Would add ${countOf(documents.length, 'document')}`)
    return { documents, dryRun }
  }

  private async restore(file: string, dryRun: boolean): Promise<ImportReply> {
    const { source, bytes } = await this.opened(file)
    const reply = await this.importAll(source, { name: file, bytes, dryRun })
    if (reply.faults.length > 0) process.exitCode = exitCodes.usage.code
    if (!this.jsonEnabled()) print(importLines(reply).join('\n'))
    return reply
  }

  /** Opens an export. A sealed one is decrypted with the key of this workspace, or a given one. */
  private async opened(file: string): Promise<OpenedFile> {
    const found = await open(file)
    if (file === '-' || !(await isSealedFile(file))) return found
    const { unsealedExport } = await import('../cli/memory/sealed-export.js')
    const known = await this.call('POST /api/workspace-key/identity', { body: {} }).catch(() => undefined)
    return { ...found, source: await unsealedExport(file, known?.identities ?? []) }
  }

  private async importAll(
    source: AsyncIterable<Buffer>,
    { name, bytes, dryRun }: { name: string; bytes: number | undefined; dryRun: boolean },
  ): Promise<ImportReply> {
    const bar = startProgressBar()
    let sum: ImportReply | undefined
    let done = 0
    try {
      for await (const { text, lineOffset } of importParts(source, name)) {
        const query = { dryRun, lineOffset }
        const options = { ...this.globals, timeoutMs: partTimeoutMs }
        const reply = await call('POST /api/import', { query, lines: text }, options)
        sum = sum ? joinReplies(sum, reply) : reply
        done += Buffer.byteLength(text)
        bar.update(`${sum.memories} memories`, bytes ? done / bytes : undefined)
      }
    } finally {
      bar.stop()
    }
    return sum as ImportReply
  }
}

function dryRunOf(flags: { 'dry-run': boolean }): string[] {
  return flags['dry-run'] ? ['--dry-run'] : []
}

interface OpenedFile {
  source: AsyncIterable<Buffer>
  bytes: number | undefined
}

/** @throws CliError `invalid_input` for an unreadable file. */
async function open(file: string): Promise<OpenedFile> {
  if (file === '-') return { source: process.stdin, bytes: undefined }
  try {
    const handle = await openFile(file)
    const stats = await handle.stat()
    if (!stats.isDirectory()) return { source: handle.createReadStream(), bytes: stats.size }
    await handle.close()
  } catch (cause) {
    throw unreadablePath(file, cause)
  }
  throw unreadablePath(file, { code: 'EISDIR' })
}
