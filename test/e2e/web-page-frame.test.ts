// runs: in turn

import {
  axeFindingsInBothSchemes,
  browserTest,
  cutFocusRings,
  openPage,
  sharedBrowser,
} from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { startSession } from '../helpers/hooks.js'

const browser = sharedBrowser()

browserTest('Ctrl-K goes to pages, finds, pins and forgets with undo, and saves (web.md 3.20)', async t => {
  const { url, call, remember } = await startDaemon(t)
  const id = await remember('The lighthouse lamp is replaced every March')
  const memory = async () => (await call('GET /api/memory/:id', { params: { id } })).body
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/settings`)
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  const field = page.getByRole('combobox', { name: 'Search or do' })
  const open = async (text: string) => {
    await page.keyboard.press('Control+k')
    await field.fill(text)
  }
  await open('knowl')
  await page.getByRole('option', { name: 'Knowledge', exact: true, selected: true }).waitFor()
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor()

  await open('lighthouse')
  await page.getByRole('option', { name: /The lighthouse lamp/u }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Alt+p')
  await page.getByText('Pinned').waitFor()
  t.is((await memory()).pinned, 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await memory()).pinned === 0 || undefined)

  await open('lighthouse')
  await page.getByRole('option', { name: /The lighthouse lamp/u }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Alt+x')
  await page.getByText('Forgot 1').waitFor()
  t.is((await call('GET /api/memories')).body.matching, 0)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await until(async () => (await call('GET /api/memories')).body.matching === 1 || undefined)

  await open('Invoices are numbered by country')
  await page.getByRole('option', { name: /^Save a memory/u }).click()
  await page.getByText('Saved as').waitFor()
  t.is((await call('GET /api/memories')).body.matching, 2)
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('Ctrl-K runs Dreaming from any page, and new facts show (web.md 3.20)', async t => {
  const { url, call, remember } = await startDaemon(t)
  await remember('The scheduler listens on port 7421.')
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/memories`)
  await page.getByRole('row', { name: /scheduler/u }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).fill('dream')
  await page.getByRole('option', { name: /^Run Dreaming/u }).click()
  await page.getByText('Dreaming runs.').waitFor()
  await until(async () => {
    const { entities } = (await call('GET /api/ontology/entities')).body
    return entities.some(({ name }) => name === 'scheduler') || undefined
  })
  await page.goto(`${url}/ui/#/knowledge`)
  await page.getByRole('row', { name: /scheduler/u }).waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('the project in the head narrows Home, lists and searches, and stays (web.md 3.21)', async t => {
  const { url, remember } = await startDaemon(t)
  await remember('The shop is written in Elm', { project: '/work/shop' })
  await remember('The till is written in Rust', { project: '/work/till' })
  const { page, complaints } = await openPage(await browser(), `${url}/ui/`)
  const feed = page.getByRole('region', { name: 'What happens' })
  await feed.getByText('Rust').waitFor()
  await page.getByRole('combobox', { name: 'Project' }).selectOption('shop')
  await feed.getByText('Rust').waitFor({ state: 'detached' })
  await feed.getByText('Elm').waitFor()
  await page.goto(`${url}/ui/#/memories`)
  await page.getByText('1 memory, newest first').waitFor()
  await page.goto(`${url}/ui/#/search?q=written`)
  await page.getByText('1 result, best first').waitFor()
  await page.getByRole('combobox', { name: 'Project' }).selectOption('All projects')
  await page.getByText('2 results, best first').waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest(
  'Home says the first steps until they are done, and shows live what agents ask and are given (web.md 3.22)',
  async t => {
    const daemon = await startDaemon(t)
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/`)
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByRole('button', { name: 'Copy memory connect' }).waitFor()
    t.is(await steps.getByText('to do:').count(), 3)
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await daemon.remember('Always deploy on Tuesdays')
    await startSession(daemon, { sessionKey: 's1' })
    await daemon.recall('when do we deploy', { sessionKey: 's1' })
    const feed = page.getByRole('region', { name: 'What happens' })
    await feed.getByText('“when do we deploy”').waitFor()
    await feed.getByText('at the start of a session').waitFor()
    await steps.waitFor({ state: 'detached' })
    const figures = page.getByRole('region', { name: 'Last 30 days' })
    const recalls = figures.getByRole('region', { name: 'Recalls', exact: true })
    await recalls.getByRole('link', { name: '1', exact: true }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await recalls.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Recall lab' }).waitFor()
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('Edit changes type, project, tags and pin of a memory in one step (web.md 3.23)', async t => {
  const { url, call, remember } = await startDaemon(t)
  const id = await remember('Deploys run on Tuesdays', { project: '/work/shop', type: 'fact' })
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/memories/${id}`)
  await page.getByRole('button', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit this memory' })
  await dialog.getByLabel('Tags').fill('release, ops')
  await dialog.getByLabel('Project').fill('/work/till')
  await dialog.getByRole('combobox', { name: 'Type' }).selectOption('rule')
  t.deepEqual(await axeFindingsInBothSchemes(page), [])
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { memories } = (await call('GET /api/memories', { query: { type: 'rule' } })).body
  t.is(memories.length, 1)
  t.like(memories[0], { content: 'Deploys run on Tuesdays', project: '/work/till', tags: 'release,ops' })
  t.deepEqual(complaints, [])
  await page.close()
})

browserTest('the focus ring of each control is whole, in lists and dialogs (web.md 3.20)', async t => {
  const { url, remember } = await startDaemon(t)
  await remember('The lighthouse lamp is replaced every March', { tags: 'lamp' })
  const { page } = await openPage(await browser(), `${url}/ui/#/memories`)
  await page.getByRole('button', { name: /^fact/u }).waitFor()
  await page.keyboard.press('Tab')
  t.deepEqual(await cutFocusRings(page), [])
  await page.goto(`${url}/ui/#/sources`)
  await page.getByRole('button', { name: 'Add…' }).first().click()
  await page.getByRole('dialog').getByRole('combobox').first().waitFor()
  await page.keyboard.press('Tab')
  t.deepEqual(await cutFocusRings(page, 'dialog[open]'), [])
  await page.close()
})
