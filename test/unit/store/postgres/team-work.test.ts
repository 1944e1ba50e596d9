import test from 'ava'
import { connect, notesFolder, settledConnector } from '../../../helpers/connectors.js'
import { startTogether } from '../../../helpers/daemons-together.js'

const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}.md`, `note ${n}`]))

test('of two syncs of a connector that two daemons begin at once, one runs and the other says where', async t => {
  const { first, other } = await startTogether(t)
  const id = await connect(first, notesFolder(t, many).root)
  const params = { id }
  const replies = await Promise.all(
    [first, other, other, first].map(({ call }) => call('POST /api/connectors/:id/sync', { params })),
  )
  t.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const messages = replies.map(({ body }) => body.message)
  t.is(messages.filter(message => message === undefined).length, 1)
  const isFirst = [0, 3].includes(messages.indexOf(undefined))
  const [name, runs, looks] = isFirst ? ['first', first, other] : ['other', other, first]
  t.true(messages.includes(`Already syncing at the daemon ${name} (${runs.url})`))
  const removal = await looks.call('DELETE /api/connectors/:id', { params })
  t.is(removal.status, 409)
  t.is((await settledConnector(looks, id)).details?.documents.total, 200)
})
