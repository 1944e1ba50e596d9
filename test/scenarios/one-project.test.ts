// runs: in turn

import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { gitIn } from '../helpers/git.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

type Agent = 'claude-code' | 'codex'

/** A home folder with repositories, and the programs of a person and two agents. */
async function home(t: ExecutionContext) {
  const daemon = await daemonHere(t)
  const root = temporaryFolder(t, 'memory-service-scenario')
  const folder = (name: string) => join(root, name)
  return {
    folder,
    call: daemon.call,
    git: (name: string, ...args: string[]) => gitIn(folder(name), ...args),
    /** Creates a repository with one commit. */
    repository: (name: string, remote?: string): void => {
      mkdirSync(folder(name))
      gitIn(folder(name), 'init', '-q', '-b', 'main')
      writeFileSync(join(folder(name), 'README.md'), name)
      gitIn(folder(name), 'add', '.')
      gitIn(folder(name), 'commit', '-qm', 'first')
      if (remote) gitIn(folder(name), 'remote', 'add', 'origin', remote)
    },
    /** Saves a rule with the command, under the name of a project. */
    remember: async (content: string, project: string): Promise<void> => {
      const args = ['remember', content, '--type', 'rule', '--project', project]
      t.is((await runHere(t, args)).code, 0)
    },
    /** Saves a rule through the API, as a program that works in a folder. */
    saveIn: async (name: string, content: string): Promise<void> => {
      const headers = { 'x-service-project': encodeURIComponent(folder(name)) }
      const { status } = await daemon.call('POST /api/memory/remember', {
        body: { content, type: 'rule' },
        headers,
      })
      t.is(status, 200)
    },
    /** Starts a session of an agent in a folder through its hook. @returns the context it receives */
    startSession: async (agent: Agent, name: string): Promise<string> => {
      const event = {
        session_id: randomUUID(),
        cwd: folder(name),
        hook_event_name: 'SessionStart',
        source: 'startup',
      }
      const args = ['hook', 'session-start', '-H', agent, '--timeout', '20000']
      const { code, stdout, stderr } = await runHere(t, args, { stdin: JSON.stringify(event) })
      t.is(code, 0, stderr)
      return stdout
    },
  }
}

test('a rule saved by a person is given to both agents in its project, and to none in another', async t => {
  const { repository, remember, startSession } = await home(t)
  repository('shop', 'git@git.example:acme/shop.git')
  repository('blog', 'git@git.example:acme/blog.git')
  await remember('Shop releases ship on Thursday', 'shop')
  await remember('Blog posts need two reviewers', 'blog')
  for (const agent of ['claude-code', 'codex'] as const) {
    const [shop, blog] = [await startSession(agent, 'shop'), await startSession(agent, 'blog')]
    t.regex(shop, /Shop releases ship on Thursday/, agent)
    t.notRegex(shop, /Blog posts/, agent)
    t.regex(blog, /Blog posts need two reviewers/, agent)
    t.notRegex(blog, /Shop releases/, agent)
  }
})

test('what one agent saved in a worktree is given to the other one in the clone and behind a link', async t => {
  const { repository, git, folder, saveIn, startSession } = await home(t)
  repository('shop', 'https://git.example/acme/shop')
  git('shop', 'worktree', 'add', '-q', folder('feature'))
  git('.', 'clone', '-q', folder('shop'), folder('clone'))
  symlinkSync(folder('shop'), folder('link'))
  await startSession('claude-code', 'feature')
  await saveIn('feature', 'Prices are stored in cents')
  for (const name of ['shop', 'clone', 'link'])
    t.regex(await startSession('codex', name), /Prices are stored in cents/, name)
})

test('a repository without a remote keeps its memories when its folder moves', async t => {
  const { repository, folder, saveIn, startSession } = await home(t)
  repository('notes')
  await saveIn('notes', 'Notes are written in British English')
  renameSync(folder('notes'), folder('moved'))
  t.regex(await startSession('claude-code', 'moved'), /Notes are written in British English/)
})

test('a fork is another project until a person joins the two, and again after the undo', async t => {
  const { repository, saveIn, startSession, call } = await home(t)
  repository('shop', 'https://git.example/acme/shop')
  repository('fork', 'https://git.example/me/shop')
  await saveIn('shop', 'Every change needs a changelog line')
  t.notRegex(await startSession('codex', 'fork'), /changelog line/)
  const body = { from: 'git.example/me/shop', into: 'git.example/acme/shop' }
  const { body: join } = await call('POST /api/projects/join', { body })
  t.regex(await startSession('claude-code', 'fork'), /changelog line/)
  await call('POST /api/projects/undo', { body: { id: join.id ?? '' } })
  t.notRegex(await startSession('codex', 'fork'), /changelog line/)
})
