// runs: in turn

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { MemoryProgram } from '../../src/contract/knowledge/import-adapters.js'
import BetterSqlite from '../../src/store/sqlite/connection/driver.js'
import { startDaemon } from '../helpers/daemon.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

/** Writes the files of a program into a new folder. */
function folderWith(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t, 'brought-along')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function databaseWith(t: ExecutionContext, name: string, sql: string): string {
  const path = join(temporaryFolder(t, 'brought-along'), name)
  const database = new BetterSqlite(path)
  database.exec(sql)
  database.close()
  return path
}

/** Imports from a place, twice, and returns what became of it. */
async function imported(t: ExecutionContext, from: MemoryProgram, place: string) {
  const { call, recall, daemon } = await startDaemon(t)
  const send = (dryRun: boolean) =>
    call('POST /api/import/from', { body: { from, paths: [place], dryRun } }).then(({ status, body }) => {
      t.is(status, 200, JSON.stringify(body))
      return body
    })
  const listed = async () => (await call('GET /api/memories', { query: { limit: '200' } })).body.memories
  const planned = await send(true)
  t.is((await listed()).length, 0, 'a dry run stores nothing')
  const first = await send(false)
  t.deepEqual(
    [planned.imported, planned.becomes, planned.leftOut],
    [first.imported, first.becomes, first.leftOut],
  )
  const memories = await listed()
  t.is(memories.length, first.imported)
  const second = await send(false)
  t.deepEqual([second.imported, second.known, second.changed], [0, first.imported, 0])
  t.deepEqual(await listed(), memories, 'a second import changes nothing')
  return { first, memories, call, recall, daemon, send, listed }
}

const byText = (
  memories: readonly { content: string; type: string; tags: string; project: string | null }[],
) => memories.map(({ content, type, tags, project }) => [content, type, tags, project]).sort()

test('Claude Code: topics and old notes of its memory, in the project of its logs', async t => {
  const project = temporaryFolder(t, 'shop')
  const place = folderWith(t, {
    'projects/-w-shop/s1.jsonl': `${JSON.stringify({ type: 'user', cwd: project, sessionId: 's1' })}\n`,
    'projects/-w-shop/notes.md': 'no memory',
    'projects/-w-shop/memory/MEMORY.md':
      '# Memory\n- [Reviews](reviews.md) — how to review\n\n## Build\n- Needs Node 20\n',
    'projects/-w-shop/memory/reviews.md':
      '---\nname: reviews\ndescription: how pull requests are reviewed\nmetadata:\n  type: feedback\n---\nReview in small steps.\n\n```sh\nnpm test\n```\n',
    'projects/-w-shop/memory/user.md': '---\nname: role\ntype: user\n---\nThe user is a data engineer.\n',
  })
  const { first, memories, call } = await imported(t, 'claude-memory', join(place, 'projects'))
  t.is(first.imported, 3)
  t.deepEqual(first.leftOut, [{ why: 'link of the index', count: 1 }])
  t.deepEqual(
    byText(memories).map(([content, type]) => [content, type]),
    [
      ['Build: Needs Node 20', 'fact'],
      ['Review in small steps. ```sh npm test ```', 'rule'],
      ['The user is a data engineer.', 'preference'],
    ],
  )
  t.true(memories.every(one => one.project === memories[0]?.project && one.project !== null))
  const rule = memories.find(({ type }) => type === 'rule')
  const { body } = await call('GET /api/memory/:id', { params: { id: rule?.id ?? '' } })
  t.is(body.verbatim, 'Review in small steps.\n\n```sh\nnpm test\n```')
  t.deepEqual(body.hints, ['how pull requests are reviewed', 'reviews'])
})

test('CLAUDE.md: each item and paragraph is a rule with its heading; comments and imports are counted', async t => {
  const folder = folderWith(t, {
    'CLAUDE.md':
      '# Shop\n\n@docs/more.md\n<!-- internal -->\n## Testing\nBefore a commit:\n- run `npm test`\n- never skip a test\n  even a slow one\n\n## Rules\n- Use pnpm\n',
    'CLAUDE.local.md': '- My port is 4001\n',
    '.claude/rules/api.md': '---\npaths: src/api/**\n---\n# API\n- Validate all input\n- Use pnpm\n',
  })
  const { first, memories, call } = await imported(t, 'claude-md', folder)
  t.deepEqual(
    byText(memories).map(([content, type]) => [content, type]),
    [
      ['My port is 4001', 'rule'],
      ['Testing, Before a commit: run `npm test`', 'rule'],
      ['Testing, Before a commit: never skip a test even a slow one', 'rule'],
      ['Use pnpm', 'rule'],
      ['Validate all input', 'rule'],
    ].sort(),
  )
  t.deepEqual(first.leftOut.map(({ why }) => why).sort(), ['comment', 'import of another file', 'said twice'])
  const api = memories.find(({ content }) => content === 'Validate all input')
  const { body } = await call('GET /api/memory/:id', { params: { id: api?.id ?? '' } })
  t.deepEqual(body.structured, { globs: ['src/api/**'] })
})

test('CLAUDE.md: numbered steps stay one memory, numbered rules are one each', async t => {
  const text =
    '# shop\n\nTo release:\n\n1. bump the version\n2. push the tag\n\n## Rules\n\n1. Never push to main'
  const { memories } = await imported(t, 'claude-md', folderWith(t, { 'CLAUDE.md': text }))
  t.deepEqual(memories.map(({ content, type }) => [content, type]).sort(), [
    ['Never push to main', 'rule'],
    ['To release: 1. bump the version 2. push the tag', 'procedural'],
  ])
})

test('Cursor: rules in .mdc files and the old .cursorrules', async t => {
  const folder = folderWith(t, {
    '.cursorrules': 'Prefer named exports.\n',
    '.cursor/rules/react.mdc':
      '---\ndescription: React components\nglobs: "*.tsx"\nalwaysApply: true\n---\n- Function components only\n',
  })
  const { memories } = await imported(t, 'cursor-rules', folder)
  t.deepEqual(memories.map(({ content, type, importance }) => [content, type, importance]).sort(), [
    ['Function components only', 'rule', 0.8],
    ['Prefer named exports.', 'rule', 0.7],
  ])
})

test('Codex: groups of MEMORY.md with their folder; the raw material is counted', async t => {
  const project = temporaryFolder(t, 'relay')
  const folder = folderWith(t, {
    'MEMORY.md': `# Task Group: Relay delivery\nscope: releases\napplies_to: cwd=${project}; reuse_rule=safe\n\n## Task 1: Ship\n\n### rollout_summary_files\n\n- rollout_summaries/a.md (cwd=${project})\n\n### keywords\n\n- relay, ship\n\n## User preferences\n\n- Keep reports short [Task 1]\n\n## Reusable knowledge\n\n- The relay starts with make up\n\n## Failures and how to do differently\n\n- Symptom: port taken; fix: stop the old relay\n`,
    'rollout_summaries/a.md': 'long story',
    'extensions/ad_hoc/notes/n1.md': 'Always answer in English.',
  })
  const { first, memories } = await imported(t, 'codex-memories', folder)
  t.deepEqual(memories.map(({ content, type }) => [content, type]).sort(), [
    ['Always answer in English.', 'rule'],
    ['Keep reports short [Task 1]', 'preference'],
    ['Symptom: port taken; fix: stop the old relay', 'learning'],
    ['The relay starts with make up', 'learning'],
  ])
  t.is(memories.filter(one => one.project !== null).length, 3)
  t.deepEqual(first.leftOut, [
    { why: 'index', count: 2 },
    { why: 'summary of a session', count: 1 },
  ])
})

const mem0Sql = `CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT,
    event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);
  INSERT INTO history VALUES
    ('1','m1',NULL,'The port is 9123','ADD','2026-01-02T03:04:05+00:00',NULL,0,NULL,'user'),
    ('2','m2',NULL,'Ben prefers tabs','ADD','2026-01-03T03:04:05+00:00',NULL,0,'ben','user'),
    ('3','m3',NULL,'gone','ADD','2026-01-03T03:04:05+00:00',NULL,0,NULL,'user'),
    ('4','m1','The port is 9123','The port is 9200','UPDATE','2026-01-02T03:04:05+00:00','2026-02-01T00:00:00+00:00',0,NULL,'user'),
    ('5','m3','gone',NULL,'DELETE','2026-01-03T03:04:05+00:00','2026-02-02T00:00:00+00:00',1,NULL,'user');`

test('mem0: the newest text of each memory with its times; undo, memory undo and a new import', async t => {
  const place = databaseWith(t, 'history.db', mem0Sql)
  const { first, memories, call, send, listed, recall } = await imported(t, 'mem0', place)
  t.deepEqual(first.leftOut, [{ why: 'deleted there', count: 1 }])
  t.deepEqual(memories.map(({ content, type, created_at }) => [content, type, created_at]).sort(), [
    ['Ben prefers tabs', 'preference', '2026-01-03T03:04:05.000Z'],
    ['The port is 9200', 'fact', '2026-01-02T03:04:05.000Z'],
  ])
  const undo = (paths?: string[]) => call('POST /api/import/undo', { body: { from: 'mem0', paths } })
  t.is((await undo(['/elsewhere'])).body.forgotten, 0)
  t.is((await undo([place])).body.forgotten, 2)
  t.deepEqual(await listed(), [])
  const { removals } = (await call('GET /api/memories/removals', {})).body
  t.is(removals[0]?.memories.length, 2, 'one undo brings all of it back')
  const again = await send(false)
  t.deepEqual([again.imported, again.recovered, (await listed()).length], [0, 2, 2])
  const [tabs] = await recall('tabs')
  await call('DELETE /api/memory/:id', { params: { id: tabs ?? '' }, query: { reason: 'wrong' } })
  t.deepEqual([(await send(false)).forgotten, (await listed()).length], [1, 1])
})

test('mem0 as JSON keeps user, categories and metadata; another database is refused by name', async t => {
  const folder = folderWith(t, {
    'all.json': JSON.stringify({
      results: [
        {
          id: 'a',
          memory: 'Eva likes short answers',
          user_id: 'eva',
          categories: ['style'],
          metadata: { room: 1 },
        },
        { id: 'b', score: 1 },
      ],
    }),
  })
  const { first, memories, call } = await imported(t, 'mem0', join(folder, 'all.json'))
  t.deepEqual(first.leftOut, [{ why: 'other form', count: 1 }])
  const { body } = await call('GET /api/memory/:id', { params: { id: memories[0]?.id ?? '' } })
  t.deepEqual([body.tags, body.structured], ['style', { user_id: 'eva', room: 1 }])
  const place = databaseWith(t, 'history.db', mem0Sql)
  const refused = await call('POST /api/import/from', { body: { from: 'claude-mem', paths: [place] } })
  t.is(refused.status, 400)
  t.regex(JSON.stringify(refused.body), /no table observations/u)
  const missing = await call('POST /api/import/from', { body: { from: 'mem0', paths: ['/nowhere/x.db'] } })
  t.is(missing.status, 400)
})

test('claude-mem: observations and summaries with types, concepts and files', async t => {
  const place = databaseWith(
    t,
    'claude-mem.db',
    `CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
      title TEXT, subtitle TEXT, narrative TEXT, facts TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
      created_at TEXT, created_at_epoch INTEGER);
    INSERT INTO observations VALUES (1,'ms1','shop',NULL,'decision','Queue chosen','NATS wins','We compared three.',
      '["NATS is small"]','["trade-off"]','[]','["src/queue.ts"]','2026-03-01T00:00:00Z',1772323200000);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
      investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at_epoch INTEGER);
    INSERT INTO session_summaries VALUES (1,'ms1','shop','add a queue',NULL,'NATS works',NULL,'deploy',NULL,1772323300000);
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY); INSERT INTO user_prompts VALUES (1),(2);`,
  )
  const { first, memories, call } = await imported(t, 'claude-mem', place)
  t.deepEqual(byText(memories), [
    ['Queue chosen NATS wins We compared three. - NATS is small', 'decision', 'decision,trade-off', 'shop'],
    ['request: add a queue learned: NATS works next steps: deploy', 'semantic', 'session-summary', 'shop'],
  ])
  t.is(first.leftOut[0]?.count, 2)
  const { body } = await call('GET /api/memory/:id', {
    params: { id: memories.find(one => one.type === 'decision')?.id ?? '' },
  })
  t.deepEqual(body.structured, { filesRead: [], filesModified: ['src/queue.ts'] })
  t.is(body.created_at, '2026-03-01T00:00:00.000Z')
})

test('Basic Memory: observations by category, relations, and the text of a note', async t => {
  const folder = folderWith(t, {
    'notes/Brewing.md':
      '---\ntitle: Brewing\ntype: note\npermalink: main/brewing\ntags: [coffee]\ncreated: 2026-01-05\n---\n# Brewing\nHow we brew.\n\n## Observations\n- [decision] We use a V60 #office\n- [x] buy beans\n\n## Relations\n- pairs_with [[Beans]]\n',
  })
  const { memories } = await imported(t, 'basic-memory', folder)
  t.deepEqual(byText(memories), [
    ['Brewing How we brew. - [x] buy beans', 'semantic', 'coffee', null],
    ['Brewing pairs with Beans', 'fact', 'coffee', null],
    ['Brewing: We use a V60 #office', 'decision', 'coffee,decision,office', null],
  ])
  t.true(memories.every(({ created_at }) => created_at === '2026-01-05T00:00:00.000Z'))
})

test('mcp-memory-service: tags and types; deleted and replaced memories stay there', async t => {
  const place = databaseWith(
    t,
    'sqlite_vec.db',
    `CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT,
      metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL,
      superseded_by TEXT);
    INSERT INTO memories VALUES (1,'h1','Events go over NATS','arch,events','decision','{"source":"cli"}',1767322800.5,NULL,NULL,NULL,NULL,NULL),
      (2,'h2','old','','note','{}',1,1,'','',1767322900,NULL),(3,'h3','older','','note','{}',1,1,'','',NULL,'h1');`,
  )
  const { first, memories } = await imported(t, 'mcp-memory-service', place)
  t.deepEqual(byText(memories), [['Events go over NATS', 'decision', 'arch,events,decision', null]])
  t.is(memories[0]?.created_at, '2026-01-02T03:00:00.500Z')
  t.deepEqual(first.leftOut.map(({ why }) => why).sort(), ['deleted there', 'replaced there'])
})

test('MemPalace: drawers, long ones whole again, and facts of the graph', async t => {
  const palace = databaseWith(
    t,
    'chroma.sqlite3',
    `CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT);
    CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
    INSERT INTO embeddings VALUES (1,'s','d1'),(2,'s','d2_1'),(3,'s','d2_0');
    INSERT INTO embedding_metadata (id, key, string_value, int_value) VALUES
      (1,'chroma:document','We chose PostgreSQL',NULL),(1,'wing','shop',NULL),(1,'room','architecture',NULL),(1,'filed_at','2026-04-01T10:00:00',NULL),
      (2,'chroma:document','second half',NULL),(2,'parent_drawer_id','d2',NULL),(2,'chunk_index',NULL,1),(2,'wing','shop',NULL),
      (3,'chroma:document','first half, ',NULL),(3,'parent_drawer_id','d2',NULL),(3,'chunk_index',NULL,0),(3,'wing','shop',NULL);`,
  )
  const graph = new BetterSqlite(join(dirname(palace), 'knowledge_graph.sqlite3'))
  graph.exec(`CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE triples (id TEXT PRIMARY KEY, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT, valid_to TEXT, confidence REAL);
    INSERT INTO entities VALUES ('anna','Anna Berg');
    INSERT INTO triples VALUES ('t1','anna','works_on','shop','2026-01-01','2026-06-01',0.9);`)
  graph.close()
  const { memories, call } = await imported(t, 'mempalace', dirname(palace))
  t.deepEqual(
    byText(memories).map(([content, , tags, project]) => [content, tags, project]),
    [
      ['Anna Berg works on shop', '', null],
      ['We chose PostgreSQL', 'architecture', 'shop'],
      ['first half, second half', '', 'shop'],
    ],
  )
  const fact = memories.find(({ content }) => content.startsWith('Anna'))
  const { body } = await call('GET /api/memory/:id', { params: { id: fact?.id ?? '' } })
  t.deepEqual([body.valid_from, body.valid_until], ['2026-01-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z'])
})

test('ChatGPT: the newest list of saved memories, later saves, or a text of lines', async t => {
  const message = (fields: object) => ({ message: { author: { role: 'assistant' }, ...fields } })
  const folder = folderWith(t, {
    'conversations.json': JSON.stringify([
      {
        id: 'c1',
        update_time: 1767322800,
        mapping: {
          a: message({
            create_time: 1767322800,
            content: {
              content_type: 'model_editable_context',
              model_set_context:
                '1. [2025-05-01]. Prefers metric units.\n\n2. [2025-06-01]. Works at a dairy.',
            },
          }),
          b: message({
            create_time: 1767322900,
            recipient: 'bio',
            content: { content_type: 'text', parts: ['Is learning Go.'] },
          }),
          c: message({
            create_time: 1700000000,
            recipient: 'bio',
            content: { content_type: 'text', parts: ['Old save.'] },
          }),
        },
      },
    ]),
  })
  const { first, memories } = await imported(t, 'chatgpt-memory', folder)
  t.deepEqual(
    memories.map(({ content, type, created_at }) => [content, type, created_at.slice(0, 10)]).sort(),
    [
      ['Is learning Go.', 'fact', '2026-01-02'],
      ['Prefers metric units.', 'preference', '2025-05-01'],
      ['Works at a dairy.', 'fact', '2025-06-01'],
    ],
  )
  t.is(first.leftOut[0]?.count, 1)
  const lines = folderWith(t, { 'saved.txt': '• Has two cats\n\n• Lives in Graz\n' })
  const { call } = await startDaemon(t)
  const pasted = await call('POST /api/import/from', {
    body: { from: 'chatgpt-memory', paths: [join(lines, 'saved.txt')], project: 'me' },
  })
  t.deepEqual(pasted.body.first, [
    { type: 'fact', project: 'me', content: 'Has two cats' },
    { type: 'fact', project: 'me', content: 'Lives in Graz' },
  ])
})

test('the memory server of MCP: observations and relations, torn lines counted', async t => {
  const folder = folderWith(t, {
    'memory.jsonl': [
      {
        type: 'entity',
        name: 'Anna_Berg',
        entityType: 'person',
        observations: ['Speaks Finnish', '<private>x</private>'],
      },
      { type: 'entity', name: 'Relay', entityType: 'service', observations: [] },
      { type: 'relation', from: 'Anna_Berg', to: 'Relay', relationType: 'maintains' },
    ]
      .map(line => JSON.stringify(line))
      .concat('{"type":"ent')
      .join('\n'),
  })
  const { first, memories } = await imported(t, 'memory-json', folder)
  t.deepEqual(byText(memories), [
    ['Anna Berg maintains Relay', 'fact', '', null],
    ['Anna Berg: Speaks Finnish', 'fact', 'person', null],
  ])
  t.deepEqual(first.leftOut.map(({ why }) => why).sort(), [
    'entity without observations',
    'line that is not JSON',
    'private',
  ])
})
