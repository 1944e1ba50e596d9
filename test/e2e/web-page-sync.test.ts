// runs: in turn

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { exchangeAll, filesIn, syncFolder } from '../helpers/sync.js'

const browser = sharedBrowser()

browserTest(
  'the machines of a sync are shown; one is let in with its code, and one is removed by name',
  async t => {
    const folder = syncFolder(t)
    const [here, other] = [await startDaemon(t), await startDaemon(t)]
    const { page, complaints } = await openPage(await browser(), `${here.url}/ui/#/operations/sync`)
    await page.getByText('Sync is off').waitFor()
    await here.call('POST /api/sync/init', { body: { address: folder, name: 'desk' } })
    const { body } = await other.call('POST /api/sync/join', {
      body: { address: folder, name: '<b>lap</b>' },
    })
    await other.remember('The heron queue holds 500 messages.')
    await page.reload()
    await page.getByLabel('Code').fill(body.code)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The machine belongs now').waitFor()
    await exchangeAll([other, here])
    const [segment] = filesIn(folder, '.seg')
    writeFileSync(join(segment!, '..', 'copy of a file.seg'), 'x')
    await page.getByRole('button', { name: 'Sync now' }).click()
    const wrong = page.getByRole('region', { name: 'Wrong files' })
    await wrong.getByText('copy of a file.seg is not a file of this sync').waitFor()
    const machines = page.getByRole('region', { name: 'Machines' })
    await machines.getByText('<b>lap</b>').waitFor()
    await machines.getByText('has read all').or(machines.getByText('to read')).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT, fullPage: true })

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('sync is paused').first().waitFor()
    t.is((await here.call('GET /api/sync')).body.state, 'paused')
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Remove <b>lap</b>' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('<b>lap</b>')
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await machines.getByText('removed', { exact: true }).waitFor()
    const { devices } = (await here.call('GET /api/sync')).body
    t.is(devices.find(({ name }) => name === '<b>lap</b>')?.state, 'removed')
    t.deepEqual(complaints, [])
    await page.close()
  },
)
