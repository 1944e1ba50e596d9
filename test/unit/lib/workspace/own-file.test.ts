import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { defaultSettings } from '../../../../src/daemon/ground/settings/default-settings.js'
import { readLocalFile } from '../../../../src/daemon/knowledge/documents/local-file.js'
import { isOwnFile, placeOf } from '../../../../src/lib/workspace/own-file.js'
import { workspacePaths } from '../../../../src/lib/workspace/paths.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

function workspace(t: ExecutionContext) {
  const root = temporaryFolder(t)
  const paths = workspacePaths(root)
  mkdirSync(join(paths.secretsDir, 'deep'), { recursive: true })
  writeFileSync(paths.settings, 'name: mine\n')
  writeFileSync(join(paths.secretsDir, 'deep', 'key'), 'secret')
  writeFileSync(join(root, 'notes.md'), 'anything')
  return { root, paths }
}

test('a hard link to a file of the workspace is that file', async t => {
  const { root, paths } = workspace(t)
  const other = join(root, 'other.md')
  const links = { settings: join(root, 'a.md'), key: join(root, 'b.md') }
  linkSync(paths.settings, links.settings)
  linkSync(join(paths.secretsDir, 'deep', 'key'), links.key)
  linkSync(join(root, 'notes.md'), other)
  t.true(await isOwnFile(paths, links.settings))
  t.true(await isOwnFile(paths, links.key))
  t.false(await isOwnFile(paths, other))
  t.false(await isOwnFile(paths, join(root, 'missing')))
  const deps = { paths, configuration: () => ({ settings: defaultSettings(), problems: [] }) }
  const message = `${links.key}: it belongs to the workspace`
  await t.throwsAsync(readLocalFile(deps, links.key), { message })
  t.is((await readLocalFile(deps, other)).toString(), 'anything')
})

test('the place of an open file is known after a folder on its way became a link', async t => {
  const { root, paths } = workspace(t)
  const folder = join(root, 'folder')
  const opened = async (place: string) => {
    const handle = await open(join(place, 'key'), 'r')
    t.teardown(() => handle.close())
    return handle
  }
  mkdirSync(folder)
  writeFileSync(join(folder, 'key'), 'harmless')
  const harmless = await opened(folder)
  const placeNow = async (file: FileHandle) => placeOf(file, join(folder, 'key'), await file.stat())
  t.is(await placeNow(harmless), join(folder, 'key'))
  renameSync(folder, `${folder}-moved`)
  symlinkSync(join(paths.secretsDir, 'deep'), folder)
  const own = await opened(folder)
  renameSync(folder, `${folder}-link`)
  renameSync(`${folder}-moved`, folder)
  t.is(await placeNow(own), join(paths.secretsDir, 'deep', 'key'), 'the path is harmless, the file is not')
})

test('on Windows and macOS another case of a name is the same file', async t => {
  const { root, paths } = workspace(t)
  const shouted = join(root, '.SECRETS', 'Deep', 'KEY')
  t.true(await isOwnFile(paths, shouted, undefined, 'win32'))
  t.true(await isOwnFile(paths, shouted, undefined, 'darwin'))
  t.false(await isOwnFile(paths, shouted, undefined, 'linux'))
  t.false(await isOwnFile(paths, join(root, 'Notes.md'), undefined, 'win32'))
})
