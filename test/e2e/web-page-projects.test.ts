// runs: in turn

import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const browser = sharedBrowser()

browserTest('projects are listed, renamed, joined after a preview and separated again', async t => {
  const { url, call } = await startDaemon(t)
  const home = temporaryFolder(t, 'memory-service-web-projects')
  for (const owner of ['acme', 'me']) {
    const folder = join(home, owner)
    mkdirSync(folder)
    execFileSync('git', ['init', '-q', folder])
    execFileSync('git', ['-C', folder, 'remote', 'add', 'origin', `https://git.example/${owner}/shop`])
    const headers = { 'x-service-project': encodeURIComponent(folder) }
    await call('POST /api/memory/remember', { body: { content: `rule of ${owner}` }, headers })
  }
  await call('PATCH /api/projects', { body: { project: 'git.example/me/shop', name: 'fork' } })
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/projects`)
  const list = page.getByRole('main')
  await list.getByText('fork', { exact: true }).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])

  await list.getByText('fork', { exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Rename…' }).click()
  await dialog.getByLabel('Name').fill('my fork')
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByText('Renamed to my fork').waitFor()

  await dialog.getByRole('button', { name: 'Join…' }).click()
  await dialog.getByText(/1 memory and 0 sessions move to shop/).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await dialog.getByRole('button', { name: 'Join', exact: true }).click()
  const joined = page.getByText('my fork joined with shop')
  await joined.waitFor()
  t.is((await call('GET /api/projects')).body.count, 1)
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
  await list.getByText('my fork', { exact: true }).waitFor()
  t.is((await call('GET /api/projects')).body.count, 2)

  await page.goto(`${url}/ui/#/memories`)
  await page.getByRole('group', { name: 'Project' }).getByText('my fork').waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})
