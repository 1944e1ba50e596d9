import { open as openFile } from 'node:fs/promises'
import { Args, Flags } from '@oclif/core'
import { type ImportReply, importLines, importParts, joinReplies } from '../cli/memory/import.js'
import { DaemonCommand } from '../cli/shell/daemon-command.js'
import { exitCodes } from '../cli/shell/exit-codes.js'
import { unreadablePath } from '../cli/shell/unreadable-path.js'
import { print } from '../cli/terminal/output.js'
import { startProgressBar } from '../cli/terminal/progress-bar.js'
import { call } from '../client/call.js'

/** A part takes seconds, on a busy machine minutes. */
const partTimeoutMs = 600_000

export default class Import extends DaemonCommand {
  static override summary = 'Restore memories from an export.'
  static override description =
    'Keeps ids, history, versions and timestamps. Memories that already exist are not changed, so an import ' +
    'can be repeated, and continues where it was interrupted. Invalid lines are skipped and listed; if a ' +
    "line of a memory's history is invalid, the whole memory is skipped. Vectors are computed in the " +
    'background.'
  static override examples = [
    '<%= config.bin %> import backup.jsonl --dry-run',
    '<%= config.bin %> import backup.jsonl',
    'gunzip -c backup.jsonl.gz | <%= config.bin %> import -',
  ]
  static override args = {
    file: Args.string({ description: 'The export file; - reads stdin.', required: true, ignoreStdin: true }),
  }
  static override flags = {
    'dry-run': Flags.boolean({ summary: 'Check every line and show what would be imported.' }),
  }

  async run(): Promise<ImportReply> {
    const { args, flags } = await this.parse(Import)
    const { source, bytes } = await open(args.file)
    const reply = await this.importAll(source, { name: args.file, bytes, dryRun: flags['dry-run'] })
    if (reply.faults.length > 0) process.exitCode = exitCodes.usage.code
    if (!this.jsonEnabled()) print(importLines(reply).join('\n'))
    return reply
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

/** @throws CliError `invalid_input` for an unreadable file. */
async function open(file: string): Promise<{ source: AsyncIterable<Buffer>; bytes: number | undefined }> {
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
