import type { ImportFileRow } from '../../../../store/tables/knowledge/import-files.js'
import type { Adapter } from '../forms/adapter.js'
import { recordsOf } from '../forms/file-records.js'
import { bytesFile } from '../uploads/stored-bytes.js'
import { type Lease, leased, type WorkDeps } from './lease.js'

/** How often it is written down how far records were counted. */
const noteEveryBytes = 64 * 1024 * 1024

/** Counts the records of a file from where that ended before. */
export async function takeInventory(
  deps: WorkDeps,
  lease: Lease,
  adapter: Adapter,
  file: ImportFileRow,
): Promise<void> {
  if (file.counted_whole === 1) return
  const size = file.upload_size ?? 0
  const source = { adapter, name: file.file_id, path: bytesFile(deps, file), size, budget: deps.budget }
  const counted = { bytes: file.counted_bytes, number: file.counted_number, records: file.counted_records }
  let noted = counted.bytes
  for await (const { number, end } of recordsOf(source, counted)) {
    lease.signal.throwIfAborted()
    counted.bytes = end
    counted.number = number
    counted.records++
    if (end - noted < noteEveryBytes) continue
    await note(deps, lease, file, { ...counted, isWhole: false })
    noted = end
  }
  await note(deps, lease, file, { ...counted, isWhole: true })
}

interface Counted {
  bytes: number
  number: number
  records: number
  isWhole: boolean
}

/** What a kill takes back is counted again. */
async function note(
  { store, clock }: WorkDeps,
  lease: Lease,
  { job_id, file_id }: ImportFileRow,
  { bytes, number, records, isWhole }: Counted,
): Promise<void> {
  const updated_at = clock().toISOString()
  await store.write({ until: 'committed' }, async tables => {
    const job = await leased(tables, lease)
    const before = await tables.importFiles.find(job_id, file_id)
    await tables.importFiles.update(
      { job_id, file_id },
      {
        counted_bytes: bytes,
        counted_number: number,
        counted_records: records,
        counted_whole: isWhole ? 1 : 0,
        updated_at,
      },
    )
    const total = job.total + records - (before?.counted_records ?? 0)
    await tables.imports.update(job.id, { total, attempts: 0, updated_at })
  })
}
