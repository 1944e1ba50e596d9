import test from 'ava'
import { createBrowseApi } from '../../../../../src/cli/tui/browse/browse.js'
import { browseRow } from './rows.js'

test('forgetting on the screen shows the complete command to recover', async t => {
  const send = async () => ({ id: 'a', status: 'deleted', currentVersion: 1, newVersion: 2 })
  const api = createBrowseApi(send as unknown as Parameters<typeof createBrowseApi>[0])
  t.is(
    await api.run({ do: 'forget', row: browseRow('a'), reason: 'wrong' }),
    'Forgotten. Undo within 30 days: memory undo',
  )
})
