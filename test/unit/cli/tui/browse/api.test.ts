import test from 'ava'
import { createBrowseApi } from '../../../../../src/cli/tui/browse/browse-api.js'
import { browseRow } from './rows.js'

type Send = Parameters<typeof createBrowseApi>[0]['send']

interface SentRequest {
  address: string
  request: { body?: object; query?: object }
  options: { headers?: object } | undefined
}

/** An API over replies by address; `sent` has its requests, `copied` the texts of the clipboard. */
function apiOf(replies: Record<string, unknown>, arrives = true) {
  const sent: SentRequest[] = []
  const copied: string[] = []
  const send = async (address: string, request: SentRequest['request'], options: SentRequest['options']) => {
    sent.push({ address, request, options })
    return replies[address] ?? {}
  }
  const copy = async (text: string) => {
    copied.push(text)
    return arrives
  }
  return { api: createBrowseApi({ send: send as unknown as Send, copy }), sent, copied }
}

const signal = new AbortController().signal
const any = { pinned: false, forgotten: false }

test('forgetting on the screen shows the complete command to recover, and can be undone', async t => {
  const gone = { id: 'a', status: 'deleted', currentVersion: 1, newVersion: 2 }
  const { api, sent } = apiOf({ 'DELETE /api/memory/:id': gone })
  const { text, undo } = await api.run({ do: 'forget', row: browseRow('a'), reason: 'wrong' })
  t.regex(text, /within 30 days: memory undo$/)
  t.like(await api.run(undo!), { text: 'Brought back.' })
  t.is(sent.at(-1)?.address, 'POST /api/memory/:id/recover')
})

test('a project is a filter or a place, and none is the current folder', async t => {
  const { api, sent } = apiOf({ 'GET /memory/search': { results: [] } })
  for (const project of [undefined, '*', '-', 'shop'])
    await api.search('', { ...any, ...(project && { project }) }, signal)
  t.deepEqual(
    sent.map(({ request }) => (request.query as { project?: string }).project),
    [undefined, undefined, undefined, 'shop'],
  )
  t.deepEqual(
    sent.map(({ options }) => Object.values(options?.headers ?? {}).length),
    [1, 0, 1, 0],
  )
  t.deepEqual(sent[2]?.options?.headers, { 'x-service-project': '-' })
})

test('forgotten memories are searched by all words, in texts and tags', async t => {
  const memories = [
    browseRow('a', { content: 'Deploy on Friday' }),
    browseRow('b', { content: 'Deploy', tags: 'friday' }),
    browseRow('c', { content: 'Friday' }),
  ]
  const { api, sent } = apiOf({ 'GET /api/memories': { memories } })
  const found = await api.search(' friday DEPLOY', { ...any, forgotten: true }, signal)
  t.deepEqual(
    found.map(({ id }) => id),
    ['a', 'b'],
  )
  t.like(sent[0]?.request.query, { deleted: true })
})

test('an edited text is a new version with the other fields, and its undo saves the old text', async t => {
  const old = { ...browseRow('a', { content: 'old', tags: 'x', project: 'shop' }), scope: null }
  const { api, sent } = apiOf({
    'GET /api/memory/:id': old,
    'POST /api/memory/remember': { id: 'b' },
  })
  const { undo } = await api.run({ do: 'edit', row: browseRow('a'), text: 'new' })
  t.like(sent[1]?.request.body, { content: 'new', supersedes: 'a', tags: 'x', project: 'shop', type: 'fact' })
  t.like(undo, { do: 'edit', text: 'old', row: { id: 'b' } })
})

test('ratings, tags and pins are undone by their opposite', async t => {
  const { api, sent } = apiOf({})
  const row = browseRow('a', { tags: 'x' })
  t.like(await api.run({ do: 'rate', row, judgement: 'wrong' }), {
    text: 'Marked as wrong.',
    undo: { judgement: 'none' },
  })
  t.deepEqual(sent[0]?.request.body, { judgement: 'wrong' })
  t.like(await api.run({ do: 'tags', row, tags: 'y' }), { undo: { tags: 'x' } })
  t.like(await api.run({ do: 'pin', row, pinned: true }), { undo: { pinned: false } })
})

test('copying says only what is certain', async t => {
  const row = browseRow('a')
  const { api, copied } = apiOf({})
  t.is((await api.run({ do: 'copy', row, part: 'text' })).text, 'Text copied.')
  t.is((await api.run({ do: 'copy', row, part: 'id' })).text, 'Id copied.')
  t.deepEqual(copied, ['memory a', 'a'])
  const sentOnly = apiOf({}, false).api
  t.is(
    (await sentOnly.run({ do: 'copy', row, part: 'text' })).text,
    'Text sent to the clipboard of this terminal.',
  )
})
