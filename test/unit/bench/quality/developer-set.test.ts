import { readdir } from 'node:fs/promises'
import test from 'ava'
import {
  developerAreas,
  questionKinds,
  readDeveloperSet,
  unanswerableKinds,
} from '../../../../bench/quality/developer-set.js'
import { memoryType, timestamp } from '../../../../src/contract/ground/fields.js'

const folder = new URL('../../../../bench/quality/developer/', import.meta.url)

test('every file of developer memories is read', async t => {
  t.deepEqual((await readdir(folder)).toSorted(), developerAreas.map(area => `${area}.json`).toSorted())
})

test('developer memories have unique ids, and types and dates that the API accepts', async t => {
  const { memories } = await readDeveloperSet()
  t.is(new Set(memories.map(({ id }) => id)).size, memories.length)
  t.true(memories.length >= 320)
  for (const { id, type, createdAt, content } of memories) {
    t.true(memoryType.safeParse(type).success, `${id}: ${type}`)
    t.true(timestamp.safeParse(createdAt).success, `${id}: ${createdAt}`)
    t.not(content.trim(), '', id)
  }
})

test('every question about developer memories has its answers in the project it is asked in', async t => {
  const { memories, questions } = await readDeveloperSet()
  const projects = new Map(memories.map(({ id, project }) => [id, project]))
  for (const { query, project, answers } of questions) {
    t.true(answers.length > 0, query)
    for (const id of answers) {
      t.true(projects.has(id), `${query}: ${id}`)
      if (project !== undefined) t.is(projects.get(id), project, `${query}: ${id}`)
    }
  }
})

test('questions about developer memories have a known kind and project, and none is repeated', async t => {
  const { memories, questions, unanswerable } = await readDeveloperSet()
  const projects = new Set<string | undefined>(memories.map(({ project }) => project))
  for (const { query, kind } of questions) t.true(questionKinds.includes(kind), query)
  for (const { query, kind } of unanswerable) t.true(unanswerableKinds.includes(kind), query)
  const all = [...questions, ...unanswerable]
  for (const { query, project } of all) t.true(project === undefined || projects.has(project), query)
  t.is(new Set(all.map(({ query, project }) => `${project}: ${query}`)).size, all.length)
})

test('at least a third of the developer questions have no answer, some near and some foreign', async t => {
  const { questions, unanswerable } = await readDeveloperSet()
  t.true(unanswerable.length * 3 >= questions.length + unanswerable.length)
  const near = unanswerable.filter(({ kind }) => kind === 'near').length
  t.true(near >= unanswerable.length * 0.45 && near <= unanswerable.length * 0.55, String(near))
  t.true(questions.filter(({ kind }) => kind === 'indirect').length >= 60)
})
