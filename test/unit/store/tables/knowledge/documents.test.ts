import test from 'ava'
import { openTestStore } from '../../../../helpers/store.js'

const now = '2026-01-01T00:00:00.000Z'
const row = {
  id: 'd',
  agent_id: 'default',
  source_type: 'text',
  status: 'queued',
  created_by: 'ada',
  created_at: now,
  updated_at: now,
}

test('a long text is stored in parts that never split a character', async t => {
  const { documents } = openTestStore(t).store.tables
  await documents.insert(row)
  t.deepEqual(await documents.textOf('d'), [])
  // Two-unit characters at odd offsets put every part border inside a character.
  const text = `x${'🚢'.repeat(900_000)}`
  await documents.putText('d', text)
  const parts = await documents.textOf('d')
  t.true(parts.length > 3)
  t.true(parts.every(part => !/[\uD800-\uDBFF]$/.test(part) && !/^[\uDC00-\uDFFF]/.test(part)))
  t.true(parts.join('') === text)
  await documents.putText('d', 'a shorter one')
  t.deepEqual(await documents.textOf('d'), ['a shorter one'])
  await documents.putText('d', '')
  t.deepEqual(await documents.textOf('d'), [''])
  await documents.dropText('d')
  t.deepEqual(await documents.textOf('d'), [])
})
