import test from 'ava'
import { killWhileRead } from '../helpers/index-kills.js'
import { vaultOf } from '../helpers/sources.js'

const notes = 400

test('kills during a vault sync leave the same rows as an undisturbed one, without duplicates', async t => {
  const texts = Array.from({ length: notes }, (_, at) => [
    `${at % 30}/n${at}.md`,
    `# Note ${at}\n\nSee [[n${at + 1}]].`,
  ])
  const path = vaultOf(t, Object.fromEntries(texts))
  const raw = await killWhileRead(t, { kind: 'notevault', body: { path }, total: notes })
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0').pluck().all() as string[]
  t.deepEqual(paths.sort(), texts.map(([path]) => path as string).sort())
  const chunks = raw
    .prepare('SELECT count(*), count(DISTINCT artifact_id), sum(removed) FROM source_chunks')
    .raw()
  t.deepEqual(chunks.get(), [notes, notes, 0])
  const counts = raw.prepare('SELECT artifacts, chunks, covered, links FROM sources').raw()
  t.deepEqual(counts.get(), [notes, notes, notes, notes - 1])
})
