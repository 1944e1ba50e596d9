import { signal } from '@preact/signals'
import type { Reply } from '../../contract/api.js'
import { failureText } from '../api/api-error.js'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'

type Imported = Reply<'POST /api/sources/import'>['files'][number]

/** What becomes of a file that was imported before. */
export type DuplicateMode = 'skip' | 'replace' | 'reimport'

export interface Upload {
  id: number
  file: File
  state: 'waiting' | 'sending' | Imported['status']
  /** Why it failed. */
  reason?: string | undefined
  sourceId?: string | null
}

/** Files that were handed over to be imported, in their order; they go on while another page is looked at. */
export const uploads = signal<readonly Upload[]>([])
const sending = { isAtWork: false, next: 1 }

/** Imports files one after the other, so that each has its own progress and its own reason. */
export async function uploadFiles(files: readonly File[], mode: DuplicateMode): Promise<void> {
  const added = files.map((file): Upload => ({ id: sending.next++, file, state: 'waiting' }))
  uploads.value = [...uploads.value, ...added]
  if (sending.isAtWork) return
  sending.isAtWork = true
  for (let next = firstWaiting(); next; next = firstWaiting()) await uploadOne(next, mode)
  sending.isAtWork = false
}

export function forgetUploads(): void {
  uploads.value = uploads.value.filter(({ state }) => state === 'waiting' || state === 'sending')
}

function firstWaiting(): Upload | undefined {
  return uploads.value.find(({ state }) => state === 'waiting')
}

async function uploadOne({ id, file }: Upload, mode: DuplicateMode): Promise<void> {
  change(id, { state: 'sending' })
  const form = new FormData()
  form.set('duplicateMode', mode)
  form.append('files', file, file.name)
  try {
    const [told] = (await call('POST /api/sources/import', { form })).files
    change(id, { state: told?.status ?? 'failed', reason: told?.error, sourceId: told?.sourceId ?? null })
  } catch (thrown) {
    change(id, { state: 'failed', reason: failureText(thrown) })
  }
  changes.value++
}

function change(id: number, changed: Partial<Upload>): void {
  uploads.value = uploads.value.map(upload => (upload.id === id ? { ...upload, ...changed } : upload))
}
