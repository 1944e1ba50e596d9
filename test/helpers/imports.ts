import type { Reply } from '../../src/contract/api.js'
import type { ErrorBody } from '../../src/contract/ground/errors.js'
import { importFiles } from '../../src/contract/knowledge/sources/source-import.js'
import type { TestDaemon } from './daemon.js'

type Imported = Reply<'POST /api/sources/import'>

/** Uploads files by name; `fields` follow them in the form. */
export async function upload(
  { url }: Pick<TestDaemon, 'url'>,
  files: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Imported & Partial<ErrorBody> }> {
  const form = new FormData()
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name)
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const response = await fetch(`${url}/api/sources/import`, { method: 'POST', body: form })
  const body = (await response.json()) as never
  if (response.ok) importFiles.response.parse(body)
  return { status: response.status, body }
}

/** Uploads one file. @returns its result */
export async function importOne(
  daemon: Pick<TestDaemon, 'url'>,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields?: Readonly<Record<string, string>>,
): Promise<Imported['files'][number]> {
  const { status, body } = await upload(daemon, { [name]: content }, fields)
  const [file] = body.files ?? []
  if (status !== 200 || !file) throw new Error(`POST /api/sources/import answered ${status}: ${body.error}`)
  return file
}

/** Paths and kinds of a source's artifacts, with their chunk counts. */
export async function artifactsOf({ call }: Pick<TestDaemon, 'call'>, sourceId: string) {
  const { body } = await call('GET /api/sources/:sourceId/artifacts', { params: { sourceId } })
  return body.artifacts.map(({ sourcePath, kind, title, chunks }) => ({ sourcePath, kind, title, chunks }))
}
