import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Conversations, readConversations } from '../../../../bench/longmemeval/read-conversations.js'
import { formatConversationSuite, runConversationSuite } from '../../../../bench/longmemeval/suite.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const haystack = (id: string, question: string) => ({
  question_id: id,
  question_type: 'single-session-user',
  question,
  answer: 'lemons',
  question_date: '2023/05/30 (Tue) 23:40',
  haystack_session_ids: ['s1', 's2'],
  haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/21 (Sun) 10:00'],
  haystack_sessions: [
    [
      { role: 'user', content: 'I planted two lemon trees behind the shed.', has_answer: true },
      { role: 'assistant', content: 'They need sun.' },
    ],
    [{ role: 'user', content: 'Which train goes to Graz on Sunday?' }],
  ],
  answer_session_ids: ['s1'],
})

const dialogue = {
  sample_id: 'talk',
  conversation: {
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [{ speaker: 'Ana', dia_id: 'D1:1', text: 'I moved to Porto in spring.' }],
  },
  qa: [{ question: 'When did Ana move to Porto?', category: 2, evidence: ['D1:1'] }],
}

test('each question of LongMemEval has the turns, times and evidence of its own sessions', async t => {
  const file = join(await temporaryFolder(t), 'questions.json')
  await writeFile(
    file,
    JSON.stringify([haystack('q1', 'What did I plant?'), haystack('q2_abs', 'Who sang?')]),
  )
  const [first, second] = await allOf(file)
  t.deepEqual(
    first?.turns.map(({ id, who, session }) => [id, who, session]),
    [
      ['s1/0/0', 'user', 's1'],
      ['s1/0/1', 'assistant', 's1'],
      ['s2/1/0', 'user', 's2'],
    ],
  )
  t.is(first?.turns[1]?.createdAt, Date.UTC(2023, 4, 20, 2, 21, 1))
  t.like(first?.questions[0], { id: 'q1', evidence: ['s1/0/0'], askedAt: Date.UTC(2023, 4, 30, 23, 40) })
  t.deepEqual(second?.questions, [], 'a question without an answer is not asked')
})

test('a stopped measurement goes on with the next question', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'questions.json')
  await writeFile(file, JSON.stringify([haystack('q1', 'What did I plant?'), haystack('q2', 'lemon trees')]))
  const options = { data: [file], results: folder }
  const [whole] = await runConversationSuite(options, () => undefined)
  t.deepEqual(
    whole?.figures.map(({ id, turns, sessions }) => [id, turns.MRR, sessions['R@5']]),
    [
      ['q1', 1, 1],
      ['q2', 1, 1],
    ],
  )
  const kept = join(folder, 'questions-no-vectors.jsonl')
  const [line = ''] = (await readFile(kept, 'utf8')).split('\n')
  const marked = line.replace('"single-session-user"', '"kept"')
  await writeFile(kept, `${marked}\n`)
  await appendFile(kept, line.slice(0, 20))
  const [resumed] = await runConversationSuite(options, () => undefined)
  t.deepEqual(
    resumed?.figures.map(({ id, category }) => [id, category]),
    [
      ['q1', 'kept'],
      ['q2', 'single-session-user'],
    ],
  )
  t.is((await readFile(kept, 'utf8')).split('\n').length, 3, 'the cut line is replaced')
})

test('dialogues of LoCoMo are measured by turns and sessions', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'talks.json')
  await writeFile(file, JSON.stringify([dialogue]))
  const measured = await runConversationSuite({ data: [file], results: folder }, () => undefined)
  t.regex(formatConversationSuite(measured), /\| all \| 1 \| 100\.0 \| 100\.0 \| 100\.0 \|/u)
})

test('an entry of another format is refused', async t => {
  const file = join(await temporaryFolder(t), 'other.json')
  await writeFile(file, '[{ "text": "x" }]')
  await t.throwsAsync(() => allOf(file), { message: /unknown format/u })
})

async function allOf(file: string): Promise<Conversations[]> {
  const found = []
  for await (const conversations of readConversations(file)) found.push(conversations)
  return found
}
