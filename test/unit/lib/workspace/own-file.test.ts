import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readLocalFile } from '../../../../src/daemon/knowledge/documents/local-file.js'
import { isOwnFile, isOwnHandle } from '../../../../src/lib/workspace/own-file.js'
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
  const message = `${links.key}: the workspace keeps it for itself`
  await t.throwsAsync(readLocalFile({ paths }, links.key), { message })
  t.is((await readLocalFile({ paths }, other)).toString(), 'anything')
})

test('a folder that becomes a link after it was opened hides nothing', async t => {
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
  t.false(await isOwnHandle(paths, harmless, join(folder, 'key')))
  renameSync(folder, `${folder}-moved`)
  symlinkSync(join(paths.secretsDir, 'deep'), folder)
  const own = await opened(folder)
  renameSync(folder, `${folder}-link`)
  renameSync(`${folder}-moved`, folder)
  t.true(await isOwnHandle(paths, own, join(folder, 'key')), 'the path is harmless, the file is not')
})
