// runs: in turn

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { Registration } from '../../src/lib/workspace/registration.js'
import { hasAccounts, twoUsers, type User } from '../helpers/two-users.js'

const hers = 'ALICE-SECRET: the merger is signed in Bergen'
const his = 'BOB-SECRET: my therapist is Dr. Plum'
const start = { session_id: 's1', cwd: '/', hook_event_name: 'SessionStart', source: 'startup' }
const prompt = { session_id: 's1', cwd: '/', hook_event_name: 'UserPromptSubmit', prompt: his }

/** Alice's daemon has the default port and her memory. */
async function withAlice(t: ExecutionContext, withAccounts: boolean) {
  const users = await twoUsers(t, withAccounts)
  const saved = await users.alice.memory('remember', hers, '--pin')
  t.is(saved.exitCode, 0, saved.stderr)
  t.is(users.alice.registration()?.port, users.port)
  return users
}

async function assertApart(t: ExecutionContext, alice: User, bob: User): Promise<void> {
  t.notRegex((await alice.memory('list', '--json')).stdout, /BOB-SECRET/)
  t.notRegex((await alice.memory('sessions', 'search', 'therapist', '--json')).stdout, /Plum/)
  t.notRegex((await bob.memory('list', '--json')).stdout, /ALICE-SECRET/)
}

/**
 * Bob uses each program of ours; everything is his, and works.
 * @param before runs before each program
 */
async function useAll(t: ExecutionContext, bob: User, before = () => {}): Promise<void> {
  before()
  const saved = await bob.memory('remember', his, '--pin')
  t.is(saved.exitCode, 0, saved.stderr)
  const found = await bob.memory('recall', 'merger or therapist', '--json')
  t.regex(found.stdout, /BOB-SECRET/)
  t.notRegex(found.stdout, /ALICE-SECRET/)
  before()
  const told = await bob.hook('session-start', start)
  t.regex(told.stdout, /BOB-SECRET/, told.stderr)
  t.notRegex(told.stdout, /ALICE-SECRET/)
  t.is((await bob.hook('user-prompt-submit', prompt)).exitCode, 0)
  t.is((await bob.hook('session-end', { ...start, hook_event_name: 'SessionEnd' })).exitCode, 0)
  before()
  const searched = await bob.tool('memory_search', { query: 'merger or therapist' })
  t.regex(searched, /BOB-SECRET/)
  t.notRegex(searched, /ALICE-SECRET/)
  before()
  t.notRegex(await askOpenCode(t, bob), /ALICE-SECRET/)
  t.is((await bob.memory('daemon', 'start')).exitCode, 0)
  const context = await askOpenCode(t, bob)
  t.regex(context, /BOB-SECRET/)
  t.notRegex(context, /ALICE-SECRET/)
}

/** Starts a session of OpenCode with the installed plugin. @returns what it adds to the system's prompt */
async function askOpenCode(t: ExecutionContext, user: User): Promise<string> {
  const connected = await user.memory('connect', 'opencode', '--yes')
  t.is(connected.exitCode, 0, connected.stderr)
  const plugin = pathToFileURL(join(user.home, '.config/opencode/plugins/memory-service.js')).href
  const { stdout } = await user.script(`
    const { MemoryService } = await import(${JSON.stringify(plugin)})
    const client = { session: { messages: async () => ({ data: [] }) } }
    const hooks = await MemoryService({ client, directory: '/', worktree: '/' })
    const system = []
    await hooks['experimental.chat.system.transform']({ sessionID: 's2' }, { system })
    console.log(system.join())
    await hooks.dispose()
  `)
  return stdout
}

/** Runs a test for two accounts of the machine, and for two workspaces of one account. */
function perKind(title: string, run: (t: ExecutionContext, withAccounts: boolean) => Promise<void>): void {
  // Accounts can be made by root only.
  const withTwo = hasAccounts ? test : test.skip
  withTwo(`${title} (two accounts)`, t => run(t, true))
  // The homes are named by HOME, which Windows does not use.
  const withOne = process.platform === 'win32' ? test.skip : test
  withOne(`${title} (one account, two workspaces)`, t => run(t, false))
}

perKind(
  'the default installation of a second user works, and neither reaches the memory of the other',
  async (t, withAccounts) => {
    const { alice, bob, port } = await withAlice(t, withAccounts)
    await useAll(t, bob)
    t.true((bob.registration()?.port ?? 0) > port)
    await assertApart(t, alice, bob)
  },
)

perKind(
  'a stale registration with the port and pid of a daemon of another user leads nowhere',
  async (t, withAccounts) => {
    const { alice, bob, port } = await withAlice(t, withAccounts)
    t.is((await bob.memory('remember', 'Bob was here')).exitCode, 0)
    const { pid: reused } = alice.registration() as Registration
    await useAll(t, bob, () => {
      const { pid } = bob.registration() as Registration
      if (pid !== reused) process.kill(pid, 'SIGKILL')
      bob.leaveRegistration({ port, pid: reused })
    })
    await assertApart(t, alice, bob)
  },
)

perKind(
  'what memory connect writes for HTTP reaches the daemon of its user alone',
  async (t, withAccounts) => {
    const { alice, bob, port } = await withAlice(t, withAccounts)
    t.is((await bob.memory('status')).exitCode, 0)
    const connected = await bob.memory('connect', 'claude', '--transport', 'http', '--yes')
    t.is(connected.exitCode, 0, connected.stderr)
    const settings = JSON.parse(readFileSync(join(bob.home, '.claude', 'settings.json'), 'utf8'))
    const { url, headers } = settings.hooks.UserPromptSubmit[0].hooks[0]
    const words = Object.entries({ ...headers, 'content-type': 'application/json' }).flatMap(
      ([name, value]) => ['-H', `${name}: ${value}`],
    )
    const ask = (to: string) => bob.curl('-w', '\n%{http_code}', ...words, '-d', JSON.stringify(prompt), to)
    t.regex(await ask(url), /\n200$/)
    const { port: ofBob } = new URL(url)
    t.not(Number(ofBob), port)
    // Her daemon may get that port later; it refuses his entries.
    t.regex(await ask(url.replace(`:${ofBob}/`, `:${port}/`)), /\n(?:403|421)$/)
    await assertApart(t, alice, bob)
  },
)

/** Accounts can be made by root only. */
const asOthers = hasAccounts ? test : test.skip

asOthers('another account of the machine is refused by curl, whatever it asks for', async t => {
  const { alice, bob, port } = await withAlice(t, true)
  const at = `http://127.0.0.1:${port}`
  const json = ['-H', 'content-type: application/json']
  const requests = [
    [`${at}/api/memories`],
    [...json, '-d', '{"query":"merger"}', `${at}/api/memory/recall`],
    [...json, '-d', JSON.stringify({ content: his }), `${at}/api/memory/remember`],
    [...json, '-d', JSON.stringify(prompt), `${at}/api/hooks/harness/claude-code/user-prompt-submit`],
    [...json, '-d', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', `${at}/mcp`],
  ]
  for (const words of requests) {
    const answer = await bob.curl('-w', '\n%{http_code}', ...words)
    t.regex(answer, /"code":"other_user"[\s\S]*\n403$/, words.at(-1))
    t.notRegex(answer, /ALICE-SECRET/)
  }
  const health = await bob.curl(`${at}/health`)
  t.regex(health, /"status"/)
  t.false(health.includes(alice.home), health)
  t.regex(await alice.curl(`${at}/api/memories`), /ALICE-SECRET/)
  await assertApart(t, alice, bob)
})
