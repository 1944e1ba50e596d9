import { join } from 'node:path'
import test from 'ava'
import BetterSqlite from 'better-sqlite3'
import { openStore } from '../../../src/store/database.js'
import { temporaryWorkspace } from '../../helpers/daemon.js'

const everybody = { agents: ['default'], globalOf: 'all' } as const

/** Plans of the statements that `work` runs, as SQLite explains them. */
async function plansOf(
  t: Parameters<typeof temporaryWorkspace>[0],
  work: (tables: ReturnType<typeof openStore>['tables']) => Promise<unknown>,
): Promise<string> {
  const file = join(temporaryWorkspace(t), 'memories.db')
  const statements: string[] = []
  const prepare = BetterSqlite.prototype.prepare
  const store = openStore(file, new Date())
  // The one place where SQL can be overheard: the connection itself.
  BetterSqlite.prototype.prepare = function (this: BetterSqlite.Database, text: string) {
    statements.push(text)
    return prepare.call(this, text)
  } as typeof prepare
  try {
    await work(store.tables)
  } finally {
    BetterSqlite.prototype.prepare = prepare
    await store.close()
  }
  const connection = new BetterSqlite(file, { readonly: true })
  t.teardown(() => connection.close())
  return statements
    .flatMap(text => {
      const parameters = Array.from({ length: text.split('?').length - 1 }, () => null)
      return connection.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...parameters) as { detail: string }[]
    })
    .map(({ detail }) => detail)
    .join('\n')
}

test.serial('a save finds its duplicate by an index, however many memories there are', async t => {
  t.regex(
    await plansOf(t, tables => tables.memories.byHash('h', everybody)),
    /^SEARCH memories USING INDEX memories_hash/,
  )
  t.regex(
    await plansOf(t, tables => tables.memories.bySource({ id: 's', type: 'x' }, everybody)),
    /^SEARCH memories USING INDEX memories_source/,
  )
  const tuple = { agentId: 'a', visibility: 'global', scope: null }
  t.regex(
    await plansOf(t, tables => tables.memories.byIdempotencyKey('k', tuple)),
    /^SEARCH memories USING INDEX memories_idempotency/,
  )
})

test.serial('a rebuild and a catch-up of the index read by the order of changes', async t => {
  const plan = /^SEARCH memories USING INDEX memories_change/
  t.regex(await plansOf(t, tables => tables.memories.beforeChange(9, 1)), plan)
  t.regex(await plansOf(t, tables => tables.memories.afterChange(1, 1)), plan)
})
