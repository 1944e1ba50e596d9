import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { surplusOf, trimDrivers } from '../../../../bin/trim-drivers.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const older = 'node_modules/better-sqlite3'
const newer = 'node_modules/better-sqlite3-napi'
const other = process.arch === 'x64' ? 'arm64' : 'x64'
const kept = [
  `${older}/lib/index.js`,
  `${older}/deps/sqlite3/sqlite3.c`,
  `${older}/build/Release/better_sqlite3.node`,
  `${newer}/lib/index.js`,
  `${newer}/prebuilds/linux-${process.arch}.node`,
  `${newer}/prebuilds/linuxmusl-${process.arch}.node`,
]
const surplus = [
  `${older}/build/Makefile`,
  `${older}/build/Release/obj.target/sqlite3.o`,
  `${older}/build/Release/sqlite3.a`,
  `${newer}/deps/sqlite3/sqlite3.c`,
  `${newer}/prebuilds/linux-${other}.node`,
  `${newer}/prebuilds/win32-${process.arch}.node`,
]

function tree(t: ExecutionContext, files: readonly string[]): string {
  const folder = temporaryFolder(t, 'memory-service-drivers')
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '')
  }
  return folder
}

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('an installation keeps the drivers of this system alone', t => {
  const root = tree(t, [...kept, ...surplus])
  trimDrivers(root)
  t.deepEqual(
    [...kept, ...surplus].filter(file => existsSync(join(root, file))),
    kept,
  )
})

test('each system keeps its own', t => {
  const root = tree(
    t,
    ['darwin-arm64', 'darwin-x64', 'win32-x64'].map(name => `${newer}/prebuilds/${name}.node`),
  )
  const left = (platform: string, arch: string) =>
    surplusOf(root, { platform, arch }).map(path => relative(join(root, newer, 'prebuilds'), path))
  t.deepEqual(left('darwin', 'arm64'), ['darwin-x64.node', 'win32-x64.node'])
  t.deepEqual(left('win32', 'x64'), ['darwin-arm64.node', 'darwin-x64.node'])
})

test('without a driver for this system nothing is removed', t => {
  const root = tree(t, [`${newer}/prebuilds/darwin-x64.node`, `${newer}/deps/a.c`, `${older}/build/Makefile`])
  t.deepEqual(surplusOf(root, { platform: 'freebsd', arch: 'x64' }), [])
})

onLinux('packages behind links are left alone, since others use them', t => {
  const store = tree(t, [...kept, ...surplus])
  const root = tree(t, ['package.json'])
  symlinkSync(join(store, 'node_modules'), join(root, 'node_modules'))
  t.deepEqual(surplusOf(root), [])
})
