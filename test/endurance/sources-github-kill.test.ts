import test from 'ava'
import { startGithub } from '../helpers/github-fake.js'
import { minute } from '../helpers/github-fake-repo.js'
import { killWhileRead } from '../helpers/index-kills.js'

const items = 450
const comments = 300
const docs = 60

test('kills during a repository sync leave the same rows as an undisturbed one, without duplicates', async t => {
  const repo = {
    items: Array.from({ length: items }, (_, at) => ({ number: at + 1, isPull: at % 3 === 0 })),
    comments: Array.from({ length: comments }, (_, at) => ({
      id: 10_000 + at,
      number: at + 1,
      updatedAt: minute(at),
    })),
    files: Object.fromEntries(
      Array.from({ length: docs }, (_, at) => [`docs/${at}.md`, `# Page ${at}\n\nText.`]),
    ),
  }
  const github = await startGithub(t, { 'octo/site': repo })
  const total = items + comments + docs
  const raw = await killWhileRead(t, {
    kind: 'coderepo',
    body: { repos: ['octo/site'] },
    total,
    settings: { coderepo: { apiBaseUrl: github.base } },
  })
  const paths = raw.prepare('SELECT path FROM source_artifacts WHERE removed = 0').pluck().all()
  t.deepEqual([paths.length, new Set(paths).size], [total, total])
  const chunks = raw.prepare('SELECT count(*), count(DISTINCT artifact_id) FROM source_chunks').raw()
  t.deepEqual(chunks.get(), [total, total])
  const partial = raw.prepare('SELECT count(*) FROM source_checkpoints WHERE partial = 1').pluck()
  t.is(partial.get(), 0)
})
