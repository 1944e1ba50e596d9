import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { daemonHere, runHere } from '../helpers/commands-here.js'
import { until } from '../helpers/daemon-process.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const remember = async (t: ExecutionContext, text: string, ...flags: string[]): Promise<string> =>
  (await runHere(t, ['remember', text, '--no-project', ...flags, '--json'])).json().id

const idsOf = async (t: ExecutionContext, ...flags: string[]): Promise<string[]> =>
  (await runHere(t, ['list', '-q', ...flags])).stdout.split('\n').filter(Boolean)

test('list has the filters of recall, and an order (rules.md 4.4)', async t => {
  const rule = await remember(t, 'never deploy on Friday', '--type', 'rule', '--importance', '0.9')
  const tagged = await remember(t, 'tea is at four', '--tags', 'tea,office', '--who', 'maya')
  const pinned = await remember(t, 'prefer tabs', '--type', 'preference', '--pin', '--session-id', 's1')
  t.deepEqual(await idsOf(t, '--type', 'rule'), [rule])
  t.deepEqual(await idsOf(t, '--type', 'rule', '--type', 'preference'), [pinned, rule])
  t.deepEqual(await idsOf(t, '--tags', 'office', '--who', 'maya'), [tagged])
  t.deepEqual(await idsOf(t, '--pinned'), [pinned])
  t.deepEqual(await idsOf(t, '--session', 's1'), [pinned])
  t.deepEqual(await idsOf(t, '--sort', 'oldest'), [rule, tagged, pinned])
  t.is((await idsOf(t, '--sort', 'importance'))[0], rule)
  t.like(await runHere(t, ['list', '--type', 'issue']), {
    stderr: 'No memories of this project match these filters',
  })
})

test('--format fills in fields, and names the known ones', async t => {
  await remember(t, 'tea is at four', '--tags', 'tea')
  const made = await runHere(t, ['list', '--format', '{{.type}}: {{content}} ({{ .contentSafety.status }})'])
  t.is(made.stdout, 'fact: tea is at four (clean)')
  const unknown = await runHere(t, ['list', '--format', '{{.nothing}}'])
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /--format: unknown field "nothing"; fields: .*createdAt/)
})

test('every list has items, total and next in JSON, with names in camel case', async t => {
  for (const text of ['one', 'two', 'three']) await remember(t, text)
  const first = (await runHere(t, ['list', '--limit', '2', '--json'])).json()
  t.like(first, { total: 3, next: 2, matching: 3 })
  t.true('createdAt' in first.items[0])
  t.like((await runHere(t, ['list', '--offset', '2', '--json'])).json(), { next: null })
  for (const list of [
    'documents list',
    'tasks list',
    'sessions list',
    'imports list',
    'connectors list',
    'sources list',
    'ontology entities',
  ]) {
    const { items, next } = (await runHere(t, [...list.split(' '), '--json'])).json()
    t.deepEqual({ items, next }, { items: [], next: null }, list)
    t.like(await runHere(t, [...list.split(' '), '-q']), { code: 0, stdout: '' }, list)
  }
})

test('lists of names, keys and archives have ids, templates and pages too', async t => {
  await runHere(t, ['remember', 'tea is at four', '--project', 'shop'])
  await runHere(t, ['secrets', 'set', 'TOKEN'], { stdin: 'value' })
  await runHere(t, ['messages', 'send', 'the schema is merged', '--to', 'ben'])
  await runHere(t, ['backup', 'create'])
  await runHere(t, ['api-key', 'create', '--name', 'ci'])
  const lists: Readonly<Record<string, RegExp>> = {
    'agents list': /^default$/u,
    'api-key list': /^[\w-]{8,}$/u,
    'backup list': /^backup-[\w-]+$/u,
    'messages inbox --agent ben': /^[0-9a-f-]{36}$/u,
    'plugins list': /^service\.\w+\nservice\.\w+$/u,
    projects: /^shop$/u,
    'secrets list': /^TOKEN$/u,
    'secrets list --details': /^TOKEN$/u,
    'skills list': /^$/u,
    'ontology proposals': /^$/u,
    'sessions summaries': /^$/u,
  }
  for (const [list, ids] of Object.entries(lists)) {
    const words = list.split(' ')
    const quiet = await runHere(t, [...words, '-q'])
    t.is(quiet.code, 0, quiet.stderr)
    t.regex(quiet.stdout.trim(), ids, list)
    const { items, next } = (await runHere(t, [...words, '--json'])).json()
    t.deepEqual([items.length, next], [quiet.stdout.split('\n').filter(Boolean).length, null], list)
  }
  const [backup = ''] = (await runHere(t, ['backup', 'list', '-q'])).stdout.split('\n')
  t.is((await runHere(t, ['backup', 'verify', backup])).code, 0)
  t.is((await runHere(t, ['secrets', 'list', '--format', '{{.name}}!'])).stdout.trim(), 'TOKEN!')
})

test('rare lists have ids too: files, events, passages, recorded sessions, rejections and machines', async t => {
  const { call } = await daemonHere(t)
  await runHere(t, ['plugins', 'enable', 'service.codeindex'])
  await call('POST /api/memory/recall', { body: { query: 'tea', sessionKey: 's1' } })
  const document = { content: 'tea is at four', title: 'Tea', source_type: 'text' as const }
  const { id } = (await call('POST /api/documents', { body: document as never })).body
  await until(async () => (await call('GET /api/documents/:id', { params: { id } })).body.status === 'done')
  const file = join(temporaryFolder(t, 'memory-service-rejections'), 'export.jsonl')
  writeFileSync(file, 'no json\n')
  await runHere(t, ['import', 'transcripts', file, '--from', 'service-export'])
  const [importId = ''] = (await runHere(t, ['imports', 'list', '-q'])).stdout.split('\n')
  const lists: Readonly<Record<string, RegExp>> = {
    'harnesses list': /^[/\\\w].*\.json$/mu,
    'plugins audit': /^[\w-]{8,}$/mu,
    [`documents chunks ${id}`]: /^[0-9a-f-]{36}$/u,
    'sessions blackbox': /^s1$/u,
    [`imports rejections ${importId}`]: /^export\.jsonl:1$/u,
  }
  for (const [list, ids] of Object.entries(lists)) {
    const words = list.split(' ')
    const quiet = await runHere(t, [...words, '-q'])
    t.regex(quiet.stdout.trim(), ids, list)
    const { items, next } = (await runHere(t, [...words, '--json'])).json()
    t.deepEqual([items.length, next], [quiet.stdout.trim().split('\n').length, null], list)
  }
  t.like(await runHere(t, ['sync', 'devices', '-q']), { code: 0, stdout: '' })
})

test('documents, entities, sessions and tasks have the orders of memories', async t => {
  const { call } = await daemonHere(t)
  const ids: string[] = []
  for (const title of ['one', 'two']) {
    const body = { content: title, title, source_type: 'text' as const }
    ids.push((await call('POST /api/documents', { body: body as never })).body.id)
  }
  const listed = async (sort: string) =>
    (await runHere(t, ['documents', 'list', '-q', '--sort', sort])).stdout.split('\n')
  t.deepEqual([await listed('oldest'), await listed('newest')], [ids, [...ids].reverse()])
  for (const list of ['ontology entities', 'sessions list', 'tasks list'])
    for (const sort of ['newest', 'oldest', 'changed'])
      t.is((await runHere(t, [...list.split(' '), '--sort', sort])).code, 0, `${list} ${sort}`)
})
