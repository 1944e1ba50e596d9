// runs: in turn

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Reply } from '../../src/contract/api.js'
import { captured } from '../helpers/captures.js'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { enableCode, indexProject } from '../helpers/indexed-project.js'
import { callTool, connectStdio } from '../helpers/mcp.js'
import { operation, perform } from '../helpers/ontology.js'
import { readVault, vaultOf } from '../helpers/sources.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const query = 'cart total off by a cent'
const kinds = ['code', 'document', 'entity', 'memory', 'note', 'session']

/** A shop whose rounding bug was noted in each way that a developer notes things. */
async function shop(t: ExecutionContext): Promise<string> {
  const daemon = await daemonHere(t)
  const root = temporaryFolder(t, 'memory-service-shop')
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    return join(root, path)
  }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(t, args, { folder: root })
    t.is(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }
  put(
    'src/cart.ts',
    '/** Sums the cart total in cents. */\nexport function cartTotal(): number {\n  return 0\n}\n',
  )
  await run('remember', 'The cart total is off by a cent, because discounts are rounded twice.')
  const transcript = put(
    'talk.jsonl',
    [
      ['user', 'Why is the cart total off by a cent?'],
      ['assistant', 'Each discount is rounded before the sum.'],
    ]
      .map(([role, content]) => JSON.stringify({ type: role, message: { role, content } }))
      .join('\n'),
  )
  const { body } = await daemon.call('POST /api/hooks/session-end', {
    body: { harness: 'claude-code', sessionKey: 'rounding', cwd: root, transcriptPath: transcript },
  })
  await captured(daemon, body.transcriptCaptureJobId ?? '', body.agentId)
  await run(
    'documents',
    'add',
    put('docs/money.md', '# Money\n\nIf the cart total is off by a cent, read this.'),
  )
  const vault = vaultOf(t, { 'Bugs.md': '# Cents\n\nA customer saw a cart total off by a cent.' })
  await readVault(daemon, vault)
  await enableCode(daemon)
  await indexProject(daemon, root)
  const { body: memories } = await daemon.call('GET /api/memories')
  const id = memories.memories.find(({ content }) => content.startsWith('The cart total'))?.id ?? ''
  await perform(daemon, [
    operation('create_entity', { name: 'Cart', type: 'component' }, { [id]: 'The cart' }),
  ])
  return root
}

test('what a developer noted anywhere is found at once and opens, in a terminal, for an agent and over HTTP', async t => {
  const root = await shop(t)
  const { call } = await daemonHere(t)
  const run = (...args: string[]) => runHere(t, args, { folder: root })

  const printed = await run('search', query)
  for (const kind of kinds) t.regex(printed.stdout, new RegExp(`^ *\\d+  ${kind}  `, 'mu'))
  const { items } = JSON.parse((await run('search', query, '--json')).stdout) as Reply<'POST /api/search'>
  t.deepEqual([...new Set(items.map(({ kind }) => kind))].sort(), kinds)
  for (const { kind, id } of items) {
    const { code, stdout, stderr } = await run('get', id)
    t.is(code, 0, `${id}: ${stderr}`)
    t.regex(stdout, /cart/iu, kind)
  }
  const notes = await run('search', query, '--kind', 'note', '--json')
  t.deepEqual(
    (JSON.parse(notes.stdout) as typeof printed & { items: { kind: string }[] }).items.map(
      ({ kind }) => kind,
    ),
    ['note'],
  )
  t.is(
    (await run('search', query, '--no-project', '--kind', 'code', '--json')).stdout.includes('code:'),
    false,
  )

  const agent = await connectStdio(t, [], {}, root)
  const found = await callTool(agent, 'search_all', { query })
  t.false(found.isError, found.text)
  for (const { kind, id } of items) {
    t.true(found.text.includes(id), id)
    const opened = await callTool(agent, 'memory_get', { id })
    t.false(opened.isError, opened.text)
    t.regex(opened.text, /cart/iu, kind)
  }
  await agent.close()

  for (const { kind, id } of items) {
    const { status, body } = await call('GET /api/items/:id', { params: { id } })
    t.is(status, 200, id)
    t.is(body.kind, kind)
  }
})

test('a recall says what other kinds have, and an unknown id says what to do', async t => {
  const root = await shop(t)
  const run = (...args: string[]) => runHere(t, args, { folder: root })
  const { stderr } = await run('recall', query, '--limit', '1')
  t.regex(
    stderr,
    /Also in 1 session, 1 note, 1 document passage, 1 code symbol, 1 entity: memory search cart total/u,
  )
  const missing = await run('get', 'session:nobody#2')
  t.is(missing.code, 3)
  t.regex(missing.stderr, /memory sessions search/u)
  t.regex((await run('search', 'zeppelin')).stderr, /Nothing matches "zeppelin"/u)
})
