import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readSets } from '../../../../bench/quality/read-sets.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const dialogue = {
  sample_id: 'talk',
  conversation: {
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [
      { speaker: 'Ana', dia_id: 'D1:1', text: 'I moved to Porto.' },
      { speaker: 'Ben', dia_id: 'D1:2', text: 'Nice!', blip_caption: 'a bridge' },
    ],
  },
  qa: [
    { question: 'Where does Ana live?', category: 1, evidence: ['D1:01; D9:9'] },
    { question: 'What is not there?', category: 2, evidence: ['D7:1'] },
    { question: 'Where does Ben live?', category: 5, evidence: ['D1:2'] },
  ],
}

const grouped = {
  name: 'chats',
  family: 'chat',
  pairs: true,
  groups: [
    {
      id: 'one',
      rows: [
        { id: 0, who: 'user', session: 's1', createdAt: '2024-03-15T09:00:00.000Z', content: 'Which port?' },
        {
          id: 1,
          who: 'assistant',
          session: 's1',
          createdAt: '2024-03-15T09:01:00.000Z',
          content: 'Port 80.',
        },
        { id: 2, content: 'Thanks.' },
      ],
      questions: [{ question: 'the port', category: 'facts', evidence: [1] }],
      unanswerable: ['the colour'],
    },
  ],
}

test('dialogues are read as turns, with only the questions whose evidence exists', async t => {
  const folder = await folderOf(t, { 'talks.json': [dialogue] })
  const [set] = await readSets([join(folder, 'talks.json')])
  t.is(set?.name, 'talks')
  t.deepEqual(set?.rows[1], {
    id: 'talk/D1:2',
    content: 'Ben: Nice! [shared image: a bridge]',
    hints: [],
    who: 'Ben',
    project: 'talk',
    createdAt: Date.UTC(2023, 4, 8, 13, 56, 1),
    session: 'talk/session_1',
  })
  t.deepEqual(set?.questions, [
    { query: 'Where does Ana live?', project: 'talk', category: '1', evidence: ['talk/D1:1'] },
  ])
  t.deepEqual(set?.unanswerable, [{ query: 'Where does Ben live?', project: 'talk' }])
})

test('a grouped set has one project for each group, and no authors', async t => {
  const folder = await folderOf(t, { 'file.json': grouped })
  const [set] = await readSets([join(folder, 'file.json')])
  t.is(set?.name, 'chats')
  t.is(set?.family, 'chat')
  t.deepEqual(set?.rows[0], {
    id: 'one/0',
    content: 'Which port?',
    hints: [],
    who: null,
    project: 'one',
    createdAt: Date.UTC(2024, 2, 15, 9),
    session: 'one/s1',
  })
  t.is(set?.rows[2]?.session, null)
  t.deepEqual(set?.questions, [{ query: 'the port', project: 'one', category: 'facts', evidence: ['one/1'] }])
  t.deepEqual(set?.unanswerable, [{ query: 'the colour', project: 'one' }])
})

test('a set of pairs treats a message and its reply as one unit', async t => {
  const folder = await folderOf(t, { 'file.json': grouped })
  const [set] = await readSets([folder])
  t.is(set?.units?.get('one/0'), set?.units?.get('one/1'))
  t.not(set?.units?.get('one/1'), set?.units?.get('one/2'))
})

test('a folder yields all of its sets, sorted by name', async t => {
  const folder = await folderOf(t, { 'b.json': grouped, 'a.json': [dialogue], 'notes.txt': {} })
  t.deepEqual(
    (await readSets([folder])).map(({ name }) => name),
    ['a', 'chats'],
  )
})

test('a file of an unknown format is refused by name', async t => {
  const folder = await folderOf(t, { 'other.json': { rows: [] } })
  await t.throwsAsync(readSets([folder]), { message: /other\.json contains neither dialogues/ })
})

async function folderOf(t: ExecutionContext, files: Record<string, unknown>): Promise<string> {
  const folder = temporaryFolder(t, 'quality-sets')
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), JSON.stringify(content))
  }
  return folder
}
