import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { stringify } from 'yaml'
import { cliWorkspace, runCli } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { startGithub } from '../helpers/github-fake.js'
import type { FakeRepoFields } from '../helpers/github-fake-repo.js'

/** Creates a workspace whose sources use the GitHub fake. */
async function githubFor(t: ExecutionContext, repos: Readonly<Record<string, FakeRepoFields>>) {
  const github = await startGithub(t, repos)
  const workspace = cliWorkspace(t)
  mkdirSync(workspace, { recursive: true })
  const sources = { coderepo: { apiBaseUrl: github.base } }
  writeFileSync(join(workspace, 'agent.yaml'), stringify({ embedding: { provider: 'none' }, sources }))
  return github
}

test('repositories are added by name or URL with the contents to read and a wait, and a failure exits with 1', async t => {
  const github = await githubFor(t, {
    'octo/site': {
      items: [{ number: 1, labels: ['bug'] }, { number: 2 }],
      comments: [{ id: 3, number: 1 }],
      files: { 'README.md': '# Harbour', 'guides/crane.md': '# Crane' },
    },
  })
  const words = ['sources', 'add', 'github', 'https://github.com/octo/site/issues']
  const some = ['--types', 'issues,docs', '--labels', 'bug', '--docs', 'guides/**', '--no-comments']
  const added = await runHere(t, [...words, ...some, '--wait'])
  t.is(added.code, 0, added.stderr)
  t.regex(added.stdout, /^id +coderepo:[0-9a-f]+\nkind +GitHub\n[\s\S]*^artifacts +2 in 2 passages$/mu)
  t.true(github.asked().every(path => !path.includes('comments')))
  const failed = await runHere(t, ['sources', 'add', 'github', 'octo/none', '--wait', '--json'])
  t.is(failed.code, 1)
  t.like(failed.json(), { kind: 'coderepo', indexJob: { status: 'failed' } })
})

test('a token on the command line, or an invalid repository, is refused with a fix', async t => {
  await githubFor(t, {})
  const raw = await runCli(t, [
    'sources',
    'add',
    'github',
    'octo/site',
    '--token-ref',
    'ghp_0123456789abcdef',
  ])
  t.is(raw.code, 2)
  t.regex(raw.stderr, /not the token: store the token with memory secrets set NAME/u)
  t.false(raw.stderr.includes('0123456789'))
  const word = await runCli(t, ['sources', 'add', 'github', 'octo'])
  t.is(word.code, 2)
  t.regex(word.stderr, /"octo" is not a repository/u)
})
