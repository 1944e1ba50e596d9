import { createRequire } from 'node:module'
import test from 'ava'
import BetterSqlite, {
  chooseDriver,
  type DriverPackage,
  driversFor,
} from '../../../../../src/store/sqlite/connection/driver.js'

const require = createRequire(import.meta.url)

function failing(name: string, message: string, code?: string): DriverPackage {
  const load = () => {
    throw Object.assign(new Error(message), { code })
  }
  return { name, load }
}

const works: DriverPackage = { name: 'works', load: () => BetterSqlite }

test('the SQLite driver opens a database, and needs no compiler from Node 22 on', t => {
  const isNewer = Number.parseInt(process.versions.node, 10) >= 22
  t.is(BetterSqlite, require(isNewer ? 'better-sqlite3-napi' : 'better-sqlite3'))
  const connection = new BetterSqlite(':memory:')
  t.deepEqual(connection.prepare('SELECT 1 AS one').get(), { one: 1 })
  connection.close()
})

test('Node 20 never loads the Node-API driver, which aborts it', t => {
  const namesOf = (version: string) => driversFor(version).map(({ name }) => name)
  t.deepEqual(namesOf('20.19.0'), ['better-sqlite3'])
  for (const version of ['22.0.0', '24.21.0', '26.10.0'])
    t.deepEqual(namesOf(version), ['better-sqlite3-napi', 'better-sqlite3'])
})

const faults: readonly [why: string, DriverPackage][] = [
  ['is missing', failing('gone', "Cannot find module 'gone'", 'MODULE_NOT_FOUND')],
  [
    'needs a newer C library',
    failing('new', "libm.so.6: version `GLIBC_2.34' not found", 'ERR_DLOPEN_FAILED'),
  ],
  [
    'was compiled for another Node',
    failing('other', 'NODE_MODULE_VERSION 115. This needs 127', 'ERR_DLOPEN_FAILED'),
  ],
  [
    'loads, but opens no database',
    {
      name: 'half',
      load: () =>
        class {
          constructor() {
            throw new Error('no native part')
          }
        } as never,
    },
  ],
]

for (const [why, fault] of faults)
  test(`the other driver is taken when the first ${why}`, t => {
    const chosen = chooseDriver([fault, works])
    t.is(chosen.name, 'works')
    new chosen.Driver(':memory:').close()
  })

test('without a driver nothing fails until a database is opened, and then one sentence says why', t => {
  const { Driver } = chooseDriver(faults.slice(0, 2).map(([, fault]) => fault))
  const error = t.throws(() => new Driver(':memory:'), { name: 'DriverFault' })
  t.true(error.message.endsWith('gone is not installed, new needs GLIBC_2.34'), error.message)
})
