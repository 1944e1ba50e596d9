import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Address, Reply, Request } from '../../../contract/api.js'
import { countOf } from '../../../lib/text/count-of.js'
import { readStdin } from '../../shell/read-stdin.js'
import { type Colors, formatTable } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'

type CallDaemon = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>
type Body = NonNullable<Request<'POST /api/sources/import'>['body']>
type FileOutcome = Reply<'POST /api/sources/import'>['files'][number]

/** Outcome of one file. */
export interface ImportedFile extends FileOutcome {
  /** Path as the user gave it; `-` for stdin. */
  path: string
}

export type ImportInput = { kind: 'file'; path: string } | { kind: 'stdin'; name: string }

export interface ImportOptions {
  call: CallDaemon
  fields: Pick<Body, 'duplicateMode' | 'agentId'>
  /** True if files are read here and sent, because the daemon may run on another machine. */
  sendsBytes: boolean
}

/** Maximum file size that the daemon accepts. */
const maxBytes = 25 * 1024 * 1024

/** @throws ClientError if the daemon does not answer or rejects files in general. */
export async function importFile(options: ImportOptions, input: ImportInput): Promise<ImportedFile> {
  const { call, fields, sendsBytes } = options
  if (input.kind === 'file' && !sendsBytes) {
    const { files } = await call('POST /api/sources/import', { body: { ...fields, paths: [input.path] } })
    return { ...(files[0] as FileOutcome), path: input.path }
  }
  const path = input.kind === 'file' ? input.path : '-'
  const fileName = input.kind === 'file' ? basename(input.path) : input.name
  const bytes = input.kind === 'file' ? await bytesOf(input.path) : await readStdin(maxBytes)
  if (bytes instanceof Error) return { ...failed(fileName, bytes.message), path }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, String(value))
  form.append('files', new Blob([bytes]), fileName)
  const { files } = await call('POST /api/sources/import', { form })
  return { ...(files[0] as FileOutcome), path }
}

async function bytesOf(path: string): Promise<Buffer<ArrayBuffer> | Error> {
  try {
    const { size } = await stat(path)
    return size <= maxBytes ? await readFile(path) : new Error('larger than 25 MiB')
  } catch (error) {
    return new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function failed(fileName: string, error: string): FileOutcome {
  return { fileName, status: 'failed', sourceId: null, format: null, duplicate: false, error }
}

/** Formats the outcome of an import: one line for successes, a table of the failures. */
export function importedText(files: readonly ImportedFile[], colors: Colors): string {
  const imported = files.filter(({ status }) => status === 'imported')
  const known = files.filter(({ status }) => status === 'duplicate').length
  const failures = files.filter(({ status }) => status === 'failed')
  const attributes = imported.reduce((sum, { extraction }) => sum + (extraction?.attributesCreated ?? 0), 0)
  const lines = [
    `${colors.green('Imported')}  ${countOf(imported.length, 'file')}` +
      (attributes > 0 ? `, ${countOf(attributes, 'attribute')} extracted` : '') +
      (known > 0
        ? `; ${known} already imported (to import again: --duplicate-mode replace or reimport)`
        : ''),
    ...(files.length === 1 && files[0]?.sourceId ? [colors.dim(`source ${files[0].sourceId}`)] : []),
  ]
  if (failures.length === 0) return lines.join('\n')
  const rows = failures.map(({ path, error = '' }) => [plainLine(path), plainLine(error)])
  return [
    ...lines,
    '',
    colors.red(`${failures.length} failed`),
    formatTable(['FILE', 'REASON'], rows, colors),
  ].join('\n')
}
