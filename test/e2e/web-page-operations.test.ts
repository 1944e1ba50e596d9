import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { axeFindings, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { vaultOf } from '../helpers/sources.js'

const browser = sharedBrowser()
const markup = '<img src=x onerror="alert(1)">'

/** What axe finds wrong with a page as it is, light and dark. */
async function findings(page: Page): Promise<string[]> {
  const light = await axeFindings(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark]
}

browserTest(
  'a vault is added by a form and watched until it is read, with a reason for each file that is not (web.md 3.3)',
  async t => {
    const root = vaultOf(t, { '<b onmouseover=alert(2)>.md': markup, 'broken.canvas': '{' })
    for (let note = 0; note < 150; note++) writeFileSync(join(root, `note ${note}.md`), `# Crane ${note}`)
    const { url, call } = await startDaemon(t)
    const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sources`)
    await page.getByText('Nothing is read yet').waitFor()
    await page.getByRole('button', { name: 'Add…' }).click()
    await page.getByLabel('Folder', { exact: true }).fill(root)
    await page.getByLabel('What to call it').fill(`${markup} vault`)
    t.deepEqual(await findings(page), [])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: `${markup} vault` }).waitFor()
    await page.getByText('152 in 151 passages').or(page.getByText('151 in 151 passages')).waitFor()
    await page.getByRole('region', { name: 'Not read' }).getByText('it is no canvas').waitFor()
    await page.getByRole('row', { name: /onmouseover/u }).waitFor()
    t.deepEqual(await findings(page), [])
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByText('151 artifacts in 151 passages').waitFor()
    t.is((await call('GET /api/sources')).body.sources.length, 1)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Nothing is read yet').waitFor()
    t.deepEqual((await call('GET /api/sources')).body.sources, [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('files and conversations are dropped, and each says what became of it (web.md 3.4)', async t => {
  const { url, call } = await startDaemon(t)
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/sources`)
  await page.getByText('Nothing is read yet').waitFor()
  await drop(page, { 'paper.md': '# Paper', [`${markup.replaceAll('/', '')}.bin`]: '\0\u0001\u0002' })
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('link', { name: 'paper.md' }).waitFor()
  await page.getByRole('region', { name: 'Files that are imported' }).getByText('failed').waitFor()
  t.is((await call('GET /api/sources')).body.sources.length, 1)
  await page.goto(`${url}/ui/#/sources/imports`)
  await page.getByText('No conversations were imported yet').waitFor()
  const talk = { source: 'service', version: 1, sessionKey: 's1', messages: [{ role: 'user', text: 'hi' }] }
  await drop(page, { 'talks.jsonl': `${JSON.stringify(talk)}\n{broken\n` })
  await page.getByRole('dialog').getByText('talks.jsonl').waitFor()
  t.deepEqual(await findings(page), [])
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('region', { name: 'Not taken' }).getByText('the record is no JSON object').waitFor()
  await page.getByText('completed').waitFor()
  t.deepEqual(await findings(page), [])
  t.deepEqual(complaints, [])
  await page.close()
})

/** Drops files onto the page, as a browser hands them over. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer()
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name))
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }))
  }`)
}
