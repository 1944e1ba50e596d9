import test from 'ava'
import { lifecycleProperties } from '../../../../../src/daemon/ground/recording/source-lifecycle.js'

test('a source event has a class, a phase and buckets, no exact number or name', t => {
  t.deepEqual(
    lifecycleProperties({
      kind: 'notevault',
      phase: 'indexing',
      outcome: 'complete',
      artifacts: 4711,
      passages: 0,
      durationMs: 61_000,
    }),
    {
      sourceClass: 'note_vault',
      phase: 'indexing',
      outcome: 'complete',
      count: '1000-9999',
      size: '0',
      duration: '1-10 min',
    },
  )
  t.deepEqual(lifecycleProperties({ kind: 'import', isTranscripts: true, phase: 'connection' }), {
    sourceClass: 'transcript',
    phase: 'connection',
  })
  t.deepEqual(
    lifecycleProperties({ kind: 'later', phase: 'freshness', artifacts: 99_999, lagMs: 40 * 86_400_000 }),
    {
      sourceClass: 'other',
      phase: 'freshness',
      count: '10000 or more',
      freshnessLag: 'over 30 d',
    },
  )
})
