import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { lastingFolder, realPath, stableNode } from '../../../../src/lib/files/package-root.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

/** Creates files, and links from path to target, below a temporary folder. */
function tree(t: ExecutionContext, files: readonly string[], links: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(temporaryFolder(t, 'memory-stable-node'))
  const at = (path: string) => join(root, path)
  const inFolder = (path: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    return at(path)
  }
  for (const file of files) writeFileSync(inFolder(file), '')
  for (const [path, target] of Object.entries(links)) symlinkSync(at(target), inFolder(path))
  const search = (execPath: string, path: readonly string[] = [], home = '') =>
    stableNode({ execPath: at(execPath), platform: 'linux', path: path.map(at).join(':'), home, realPath })
  return { root, at, search }
}

test("Homebrew's Node is named by the link of its formula, which an upgrade changes", t => {
  const links = { 'opt/node': 'Cellar/node/26.5.0', 'bin/node': 'Cellar/node/26.5.0/bin/node' }
  const { at, search } = tree(t, ['Cellar/node/26.5.0/bin/node'], links)
  const lasting = at('opt/node/bin/node')
  t.is(search('Cellar/node/26.5.0/bin/node', ['bin']), lasting)
  t.is(search('Cellar/node/26.5.0/bin/node'), lasting)
  rmSync(at('opt/node'))
  t.is(search('Cellar/node/26.5.0/bin/node', ['Cellar/node/26.5.0/bin', 'bin']), at('bin/node'))
})

test('a versioned formula of Homebrew keeps its version', t => {
  const links = { 'opt/node': 'Cellar/node/26.5.0', 'opt/node@22': 'Cellar/node@22/22.1.0' }
  const { at, search } = tree(t, ['Cellar/node/26.5.0/bin/node', 'Cellar/node@22/22.1.0/bin/node'], links)
  t.is(search('Cellar/node@22/22.1.0/bin/node', ['opt/node/bin']), at('opt/node@22/bin/node'))
})

test('the first link on the PATH to the same Node is used, such as nodebrew/current', t => {
  const links = { 'current/bin/node': 'v22/bin/node', 'shim/node': 'volta-shim' }
  const { at, search } = tree(t, ['v22/bin/node', 'volta-shim'], links)
  t.is(search('v22/bin/node', ['shim', 'current/bin', 'v22/bin']), at('current/bin/node'))
  t.is(search('v22/bin/node', ['shim']), at('v22/bin/node'))
})

test("Node of Nix is named by the profile of the system or the user, not by the store's path", t => {
  const store = '/nix/store/abc-nodejs-22.1.0/bin/node'
  const search = (links: Record<string, string>, path = '') =>
    stableNode({ execPath: store, platform: 'linux', path, home: '/home/ann', realPath: file => links[file] })
  const known = { [store]: store }
  t.is(search({ ...known, '/run/current-system/sw/bin/node': store }), '/run/current-system/sw/bin/node')
  t.is(search({ ...known, '/home/ann/.nix-profile/bin/node': store }), '/home/ann/.nix-profile/bin/node')
  const perUser = '/etc/profiles/per-user/ann/bin'
  t.is(search({ ...known, [`${perUser}/node`]: store }, `${dirname(store)}:${perUser}`), `${perUser}/node`)
  t.is(search(known, dirname(store)), store)
})

test('Node of an fnm shell is named by the default alias if that is the same, else by its own folder', t => {
  const installation = 'fnm/node-versions/v22.1.0/installation'
  const shell = 'state/fnm_multishells/1_2'
  const { at, search } = tree(t, [`${installation}/bin/node`], { [shell]: installation })
  t.is(search(`${shell}/bin/node`, [`${shell}/bin`]), at(`${installation}/bin/node`))
  mkdirSync(at('fnm/aliases'))
  symlinkSync(at(installation), at('fnm/aliases/default'))
  t.is(search(`${shell}/bin/node`, [`${shell}/bin`]), at('fnm/aliases/default/bin/node'))
})

test('Node of an fnm shell on Windows is named by the default alias', t => {
  const real = 'C:\\fnm\\node-versions\\v22.1.0\\installation\\node.exe'
  const execPath = 'C:\\Users\\ann\\AppData\\Local\\fnm_multishells\\1_2\\node.exe'
  const alias = 'C:\\fnm\\aliases\\default\\node.exe'
  const search = (links: Record<string, string>) =>
    stableNode({ execPath, platform: 'win32', path: '', home: '', realPath: file => links[file] })
  t.is(search({ [execPath]: real, [alias]: real }), alias)
  t.is(search({ [execPath]: real }), real)
})

test('folders that only one shell or one npm command has are not lasting', t => {
  const installation = 'fnm/node-versions/v22.1.0/installation'
  const { at } = tree(t, [`${installation}/bin/node`], { 'fnm_multishells/1_2': installation })
  t.is(lastingFolder(at('fnm_multishells/1_2/bin')), at(`${installation}/bin`))
  t.is(lastingFolder(at('fnm_multishells/3_4/bin')), undefined)
  t.is(lastingFolder('/shop/node_modules/.bin'), undefined)
  t.is(lastingFolder('/usr/bin'), '/usr/bin')
})
