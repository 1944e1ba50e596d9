// runs: in turn

import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { agents, scenarioHome } from '../helpers/scenario-home.js'

type Home = Awaited<ReturnType<typeof scenarioHome>>

const rule = 'Releases ship on Thursday'

/** Ways to save a rule for the repository `shop`. */
const saves: Readonly<Record<string, (home: Home) => Promise<void>>> = {
  'by a person under the name of the project': ({ remember }) => remember(rule, { project: 'shop' }),
  'by a person inside the repository': ({ remember }) => remember(rule, { in: 'shop' }),
  'by an agent with memory_store': ({ store }) => store(rule, 'shop'),
}

async function assertGiven(t: ExecutionContext, { startSession }: Home, given: string[], kept: string[]) {
  for (const agent of agents) {
    for (const name of given)
      t.regex(await startSession(agent, name), new RegExp(rule), `${agent} in ${name}`)
    for (const name of kept)
      t.notRegex(await startSession(agent, name), new RegExp(rule), `${agent} in ${name}`)
  }
}

for (const [who, save] of Object.entries(saves))
  test(`a rule that is saved ${who} reaches each agent in its trees, clones and links, and no other project`, async t => {
    const home = await scenarioHome(t)
    const { repository, git, folder } = home
    repository('shop', 'git@git.example:acme/shop.git')
    repository('blog', 'git@git.example:acme/blog.git')
    mkdirSync(folder('letters'))
    await save(home)
    git('shop', 'worktree', 'add', '-q', folder('feature'))
    git('.', 'clone', '-q', folder('shop'), folder('clone'))
    symlinkSync(folder('shop'), folder('link'))
    await assertGiven(t, home, ['shop', 'feature', 'clone', 'link'], ['blog', 'letters'])
  })

test('what one agent saved in a worktree is given to the others after the worktree was removed', async t => {
  const home = await scenarioHome(t)
  const { repository, git, folder, store, startSession } = home
  repository('shop', 'https://git.example/acme/shop')
  git('shop', 'worktree', 'add', '-q', folder('feature'))
  await startSession('claude-code', 'feature')
  await store(rule, 'feature')
  rmSync(folder('feature'), { recursive: true })
  await assertGiven(t, home, ['shop'], [])
})

for (const [what, remote] of [
  ['with a remote', 'https://git.example/acme/notes'],
  ['without a remote', undefined],
] as const)
  test(`a repository ${what} keeps its memories when its folder moves`, async t => {
    const home = await scenarioHome(t)
    const { repository, folder, remember, startSession } = home
    repository('notes', remote)
    await startSession('codex', 'notes')
    await remember(rule, { in: 'notes' })
    renameSync(folder('notes'), folder('moved'))
    await assertGiven(t, home, ['moved'], [])
  })

test('a fork is another project until a person joins the two, and again after the undo', async t => {
  const home = await scenarioHome(t)
  const { repository, remember, call } = home
  repository('shop', 'https://git.example/acme/shop')
  repository('fork', 'https://git.example/me/shop')
  await remember(rule, { in: 'shop' })
  await assertGiven(t, home, [], ['fork'])
  const body = { from: 'git.example/me/shop', into: 'git.example/acme/shop' }
  const { body: join } = await call('POST /api/projects/join', { body })
  await assertGiven(t, home, ['fork'], [])
  await call('POST /api/projects/undo', { body: { id: join.id ?? '' } })
  await assertGiven(t, home, [], ['fork'])
})
