// runs: in turn

import { axeFindingsInBothSchemes, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { storeEntities } from '../helpers/entities.js'
import { startSession, submitPrompt } from '../helpers/hooks.js'
import { everyKind } from '../helpers/items.js'
import { operation, perform } from '../helpers/ontology.js'

const browser = sharedBrowser()

browserTest(
  'changes are shown live, and a lost connection is reported and recovers (web.md 3.12)',
  async t => {
    const daemon = await startDaemon(t)
    const id = await daemon.remember('We deploy on Fridays')
    await daemon.call('POST /api/hooks/session-start', { body: { harness: 'codex', sessionKey: 's1' } })
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/`)
    const latest = page.getByRole('region', { name: 'What happens' })
    await latest.getByText('We deploy on Fridays').waitFor()
    await page.getByRole('region', { name: 'Context sent to agents today' }).getByText('codex').waitFor()
    const params = { id }
    await daemon.remember('<img src=x onerror="alert(1)"> Maya owns the search')
    await latest.getByText('Maya owns the search').waitFor()
    await daemon.call('DELETE /api/memory/:id', { params, body: { reason: 'r' } })
    await latest.getByText('forgotten', { exact: true }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(complaints, [])
    await daemon.stop()
    await latest.getByText('Connection lost').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    const environment = { SERVICE_PORT: new URL(daemon.url).port }
    const again = await startDaemon(t, { workspace: daemon.paths.root, environment })
    await latest.getByText('Connection lost').waitFor({ state: 'detached' })
    const today = async () => (await again.call('GET /api/analytics/usage')).body.injected.today.byHarness
    await until(async () =>
      (await today()).some(({ harness, starts }) => harness === 'codex' && starts === 1),
    )
    await again.call('POST /api/memory/:id/recover', { params, body: { reason: 'r' } })
    await latest.getByText('recovered').waitFor()
    await page.close()
  },
)

browserTest('a list shows what others changed when its person returns to it (web.md 3.12)', async t => {
  const { url, call, remember } = await startDaemon(t)
  const id = await remember('We deploy on Fridays')
  await remember('Maya owns the search')
  const { page } = await openPage(await browser(), `${url}/ui/#/memories/${id}`)
  const list = page.getByRole('grid')
  await list.getByText('We deploy on Fridays').waitFor()
  await call('DELETE /api/memory/:id', { params: { id }, body: { reason: 'r' } })
  await page.evaluate("dispatchEvent(new Event('focus'))")
  await list.getByText('We deploy on Fridays').waitFor({ state: 'detached' })
  await list.getByText('Maya owns the search').waitFor()
  await page.getByRole('alert').getByText('was forgotten; recover it').waitFor()
  t.is(await page.getByRole('button', { name: 'Edit…' }).count(), 0)
  await page.close()
})

browserTest('lists and pages that failed while the daemon was away load once it is back', async t => {
  const daemon = await startDaemon(t)
  await daemon.remember('We deploy on Fridays')
  const context = await browser()
  const list = (await openPage(context, `${daemon.url}/ui/#/memories`)).page
  const other = (await openPage(context, `${daemon.url}/ui/#/memories`)).page
  for (const page of [list, other]) await page.getByText('We deploy on Fridays').waitFor()
  await daemon.stop()
  await list.getByLabel('Search memories').fill('deploy')
  await list.getByRole('alert').getByText('Start it with memory daemon start').waitFor()
  await other.getByRole('navigation').getByRole('link', { name: 'Knowledge' }).click()
  await other.getByRole('alert').getByText('Start it with memory daemon start').waitFor()
  const environment = { SERVICE_PORT: new URL(daemon.url).port }
  await startDaemon(t, { workspace: daemon.paths.root, environment })
  await list.getByRole('grid').getByText('We deploy on Fridays').waitFor()
  await other.getByLabel('Search entities').waitFor()
  for (const page of [list, other]) {
    t.is(await page.getByRole('alert').count(), 0)
    await page.close()
  }
})

browserTest(
  'channels are turned off and on, dropped results are shown, and a session’s recall is repeated (web.md 3.13)',
  async t => {
    const daemon = await startDaemon(t)
    const { url, call, remember } = daemon
    await remember('the harbour crane lifts containers onto ships', {
      structured: { hints: ['which machine moves cargo'] },
    })
    await remember('the lamps of the office are off at night')
    const { page, complaints } = await openPage(
      await browser(),
      `${url}/ui/#/recall?q=where does the harbour crane lift containers onto ships at night`,
    )
    const found = page.getByRole('region', { name: 'Results' })
    await found.getByText('harbour crane').waitFor()
    const channels = page.getByRole('group', { name: 'Channels' })
    t.true(await channels.getByLabel('hints').isChecked())
    t.false(await channels.getByLabel('entity facts').isChecked())
    await channels.getByLabel('hints').uncheck()
    await found.getByText('Compared with the configured channels').waitFor()
    t.regex(page.url(), /channels=keyword%2Cvector/u)
    t.true((await found.getByText('off', { exact: true }).count()) > 0)
    await page.getByRole('heading', { name: 'Below the cut-off' }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await channels.getByLabel('semantic').uncheck()
    await channels.locator('input:disabled').waitFor()
    t.true(await channels.getByLabel('keywords').isDisabled(), 'one channel must stay on')
    await channels.getByRole('button', { name: 'Use configured channels' }).click()
    await found.getByText('Compared with the configured channels').waitFor({ state: 'detached' })
    t.true(await channels.getByLabel('hints').isChecked())
    await call('POST /api/memory/recall', { body: { query: 'harbour crane', sessionKey: 'night shift' } })
    await page.goto(`${url}/ui/#/sessions`)
    await page.getByRole('link', { name: 'night shift' }).waitFor()
    await page.keyboard.press('j')
    t.is(await page.evaluate('document.activeElement.localName'), 'li', 'keys move through a list')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Session night shift' }).waitFor()
    const happened = page.getByRole('region', { name: 'Timeline' })
    await happened.getByRole('link', { name: 'the harbour crane lifts containers' }).waitFor()
    await happened.getByText(/^(?:keywords|hints|semantic)(?: \+ [a-z]+)*, score 0\.\d\d$/u).waitFor()
    storeEntities(t, daemon, [{ name: '<b>Till', attributes: [{ content: 'is dull', score: 0.9 }] }])
    await startSession(daemon, { sessionKey: 'night shift' })
    await submitPrompt(daemon, 'where is the B Till?', { sessionKey: 'night shift' })
    await happened.getByRole('link', { name: '<b>Till' }).waitFor()
    await happened.getByText('named in the prompt, score 0.90').waitFor()
    await happened.getByText(/^session start, score 0\.\d\d, importance 0\.8$/u).waitFor()
    await happened.getByText('Omitted: 1 already shown').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await happened.getByRole('link', { name: 'Open in Recall lab' }).click()
    await found.getByText('harbour crane').waitFor()
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest(
  'an entity’s graph grows on a click, and a memory shows the facts drawn from it (web.md 3.14)',
  async t => {
    const daemon = await startDaemon(t)
    const said = 'Orion uses Redis, and Redis runs on Zfs'
    const id = await daemon.remember(said)
    const link = (from: string, relation: string, to: string) =>
      operation('link', { from, fromType: 'thing', relation, to, toType: '<b>thing</b>' }, { [id]: said })
    const slot = { entity: 'Orion', aspect: 'deployment', claim: 'cache' }
    const made = await perform(daemon, [
      link('Orion', 'uses', 'Redis'),
      link('Redis', 'runs on', 'Zfs'),
      operation('assert_claim', { ...slot, value: 'Redis, for now' }, { [id]: 'uses Redis' }),
    ])
    t.true(made.every(({ status }) => status === 'applied'))
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/knowledge`)
    await page.getByRole('row', { name: /Orion/u }).click()
    await page.getByRole('button', { name: 'Show graph' }).click()
    const graph = page.getByRole('region', { name: 'Graph' })
    await graph.getByText('2 entities, 1 relation.').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await graph.getByLabel('Entity').selectOption({ label: 'Redis' })
    await graph.getByRole('button', { name: 'Expand' }).click()
    await graph.getByText('3 entities, 2 relations.').waitFor()
    await graph.getByRole('link', { name: 'Redis' }).waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    await page.goto(`${daemon.url}/ui/#/memories/${id}`)
    await page.getByRole('region', { name: 'Facts from this memory' }).getByText('Redis, for now').waitFor()
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(
      complaints.filter(text => !/GL Driver Message/u.test(text)),
      [],
      'except performance messages of a graphics driver',
    )
    await page.close()
  },
)

browserTest(
  'the search finds all kinds, filters narrow it, and each hit opens beside the list (web.md 3.19)',
  async t => {
    const daemon = await startDaemon(t)
    await everyKind(t, daemon)
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/#/memories`)
    await page.getByRole('searchbox', { name: 'Search memories' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or do' }).fill('lighthouse lamp')
    await page.keyboard.press('Enter')
    const field = page.getByRole('searchbox', { name: 'Search everything' })
    await field.waitFor()
    t.is(await field.inputValue(), 'lighthouse lamp')
    const results = page.getByRole('list', { name: 'Results' })
    const opened = page.getByRole('region', { name: 'Item' })
    const kinds = page.getByRole('group', { name: 'Kind' })
    for (const [kind, title, text] of [
      ['session', 'Good morning, let us plan the harbour.', 'Then the relay is worn.'],
      ['note', 'Lamps > Spare', 'A spare lighthouse lamp is in the shed.'],
      ['document', 'Manual > Upkeep', 'It is red.'],
      ['code', 'lightLighthouse', 'src/lighthouse.ts'],
      ['entity', 'Lighthouse', 'Mentioned in 1 memory'],
      ['memory', 'The lighthouse lamp is replaced every March.', 'Back to the list'],
    ] as const) {
      await kinds.getByRole('button', { name: kind }).click()
      await results.getByRole('link', { name: title, exact: true }).click()
      await opened.getByText(text).first().waitFor()
      if (kind === 'session') t.deepEqual(await axeFindingsInBothSchemes(page), [])
      await page.keyboard.press('Escape')
      await opened.waitFor({ state: 'detached' })
      await kinds.getByRole('button', { name: kind }).click()
      await results.getByRole('listitem').nth(4).waitFor()
    }
    t.deepEqual(await axeFindingsInBothSchemes(page), [])
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest('a passage in the results of the Memories page opens (web.md 3.19)', async t => {
  const daemon = await startDaemon(t)
  await everyKind(t, daemon)
  const { page, complaints } = await openPage(
    await browser(),
    `${daemon.url}/ui/#/memories?q=spare lamp in the shed`,
  )
  await page.getByText('A spare lighthouse lamp').first().click()
  await page.getByRole('region', { name: 'Passage' }).getByText('in the shed').waitFor()
  t.deepEqual(complaints, [])
  await page.close()
})
