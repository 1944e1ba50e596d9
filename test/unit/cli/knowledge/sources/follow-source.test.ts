import test from 'ava'
import { progressText, type ShownSource } from '../../../../../src/cli/knowledge/sources/follow-source.js'

type IndexJob = NonNullable<ShownSource['indexJob']>

const job: IndexJob = {
  status: 'running',
  statusMessage: null,
  partial: true,
  scanned: 120,
  indexed: 20,
  total: null,
  pauseReason: null,
  resumeFrontier: null,
  startedAt: null,
  endedAt: null,
}

test('progress shows the phase, the number of items and the rate', t => {
  t.is(progressText({ ...job, status: 'queued' }, undefined), 'queued')
  t.is(progressText({ ...job, scanned: 0, indexed: 0 }, undefined), 'scanning')
  t.is(progressText(job, undefined), '120 items checked, 20 new or changed')
  t.is(
    progressText({ ...job, statusMessage: 'reading comments of octo/site', total: 300 }, 41.7),
    'reading comments of octo/site: 120 of 300 items checked, 20 new or changed, 42/s',
  )
  t.is(progressText(job, 2.34), '120 items checked, 20 new or changed, 2.3/s')
})
