import { failureText } from '../../api/api-error.js'
import { call } from '../../api/call.js'
import { changes } from '../../api/changes.js'
import { type Outcome, type Upload, uploadQueue } from './upload-queue.js'

/** Files that were handed over to be imported; they go on while another page is looked at. */
export const { uploads, add: uploadFiles, forget: forgetUploads } = uploadQueue(importOne)

async function importOne({ file, mode }: Upload): Promise<Outcome> {
  const form = new FormData()
  form.set('duplicateMode', mode)
  form.append('files', file, file.name)
  try {
    const [told] = (await call('POST /api/sources/import', { form })).files
    return { state: told?.status ?? 'failed', reason: told?.error, sourceId: told?.sourceId ?? null }
  } catch (thrown) {
    return { state: 'failed', reason: failureText(thrown) }
  } finally {
    changes.value++
  }
}
