import { failureText } from '../../api/api-error.js'
import { call } from '../../api/call.js'
import { changes } from '../../api/changes.js'
import { type Outcome, type Upload, uploadQueue } from './upload-queue.js'

/** Queue of files to import; it continues when the user opens another page. */
export const { uploads, add: uploadFiles, forget: forgetUploads } = uploadQueue(importOne)

async function importOne({ file, mode }: Upload): Promise<Outcome> {
  const form = new FormData()
  form.set('duplicateMode', mode)
  form.append('files', file, file.name)
  try {
    const [imported] = (await call('POST /api/sources/import', { form })).files
    return {
      state: imported?.status ?? 'failed',
      reason: imported?.error,
      sourceId: imported?.sourceId ?? null,
    }
  } catch (thrown) {
    return { state: 'failed', reason: failureText(thrown) }
  } finally {
    changes.value++
  }
}
