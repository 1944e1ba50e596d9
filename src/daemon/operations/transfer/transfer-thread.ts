import { workerData } from 'node:worker_threads'
import { openReader } from '../../../store/sqlite/database.js'
import type { ExportSelection } from '../../../store/tables/operations/exported-memories.js'
import { answerAll, TransferredAnswer } from '../../platform/threads/resting-thread.js'
import type { TransferQuestion } from './ask-transfer.js'
import { type ExportPosition, readPage } from './export-page.js'
import { createBlockReader } from './read-block.js'

const reader = openReader(workerData as string)
const readBlock = createBlockReader(reader.tables.transfer)

const answers: Record<TransferQuestion, (...given: never[]) => Promise<unknown>> = {
  // Nothing else runs on this thread, so it need not yield.
  block: (block: Uint8Array) => readBlock(block, () => undefined),
  count: (selection: ExportSelection) => reader.tables.transfer.count(selection),
  page: async (selection: ExportSelection, place: ExportPosition) => {
    const page = await readPage(reader, selection, place)
    return page && new TransferredAnswer(page, [page.bytes.buffer])
  },
}

answerAll((name, given) => answers[name as TransferQuestion](...(given as never[])))
