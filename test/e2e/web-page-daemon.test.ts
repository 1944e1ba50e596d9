import { axeInBoth, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { put } from '../helpers/git.js'
import { startLogging } from '../helpers/logged-daemon.js'
import { putEmbedJobs } from '../helpers/planted-damage.js'
import { openRaw } from '../helpers/store.js'

const browser = sharedBrowser()
const markup = '<img src=x onerror="alert(1)">'

browserTest(
  'the log is followed, work is paused, a repair shows what it would do first, events are read (web.md 3.7)',
  async t => {
    const daemon = await startLogging(t, {}, 'info')
    const { url, call, remember, recall } = daemon
    const log = daemon.daemon.log.child({ category: 'git' })
    log.info(`${markup} of the log`)
    const id = await remember('We deploy on Tuesdays')
    await recall('deploy')
    const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/#/operations`)
    const tab = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
    await page.getByRole('row', { name: /of the log/u }).waitFor()
    await page.getByText('Live, newest first').waitFor()
    log.warn('nothing was synced')
    await page.getByRole('row', { name: /nothing was synced/u }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('synced')
    await page.getByRole('row', { name: /of the log/u }).waitFor({ state: 'detached' })
    t.deepEqual(await axeInBoth(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('p')
    await page.getByText('Held still').waitFor()
    await page.keyboard.press('e')
    await page.getByRole('dialog').getByText('warn').waitFor()
    await page.keyboard.press('Escape')

    await tab('Work').click()
    await page.getByRole('button', { name: 'Pause…' }).click()
    await page.getByRole('dialog').getByText('Saves and recalls go on').waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('stands still').first().waitFor()
    t.is((await call('GET /api/pipeline/status')).body.mode, 'paused')
    t.deepEqual(await axeInBoth(page), [])
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('button', { name: 'Pause…' }).waitFor()

    putEmbedJobs(openRaw(t, daemon.paths.database), [id])
    await tab('Diagnostics').click()
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByRole('link', { name: 'See what repairing it would do' }).first().waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await tab('Repair').click()
    await page.getByRole('link', { name: 'Look: requeue-dead', exact: true }).click()
    await page.getByRole('dialog').getByText('embed 1').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await page.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('done, 1 affected').waitFor()
    t.is((await call('GET /api/pipeline/status')).body.queues.memory?.dead, 0)

    await tab('Update').click()
    await page.getByText('nobody was asked yet').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await tab('Telemetry').click()
    await page.getByRole('row', { name: /recall\.performed/u }).click()
    await page.getByRole('dialog', { name: 'recall.performed' }).getByText('explicit_api').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    t.deepEqual(
      asked.filter(address => !address.startsWith(`${url}/`) || address.includes('/api/update/check')),
      [],
    )
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a repository is made once it was shown what goes in, and set up (web.md 3.8)', async t => {
  const daemon = await startDaemon(t)
  put(daemon, `skills/${markup.replaceAll('/', '')}/SKILL.md`, '# Skill\n')
  const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/operations/git`)
  await page.getByRole('button', { name: 'See what goes in…' }).click()
  await page.getByRole('dialog').getByText(markup).waitFor()
  t.deepEqual(await axeInBoth(page), [])
  t.false((await daemon.call('GET /api/git/status')).body.enabled)
  await page.getByRole('button', { name: 'Make it one' }).click()
  await page.getByText('Last commit').waitFor()
  await page.getByLabel('Every so many seconds').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('syncInterval: Too small').waitFor()
  t.deepEqual(await axeInBoth(page), [])
  await page.getByLabel('Every so many seconds').fill('600')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved; in force now').waitFor()
  t.is((await daemon.call('GET /api/git/config')).body.syncInterval, 600)
  t.deepEqual(complaints, [
    'Failed to load resource: the server responded with a status of 400 (Bad Request)',
  ])
  await page.close()
})
