// runs: in turn

import { axeInBoth, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { until } from '../helpers/daemon-process.js'
import { storeEntities } from '../helpers/entities.js'
import { startSession, submitPrompt } from '../helpers/hooks.js'
import { operation, perform } from '../helpers/ontology.js'

const browser = sharedBrowser()

browserTest(
  'what changes is told as it happens, and a lost connection says so and comes back (web.md 3.12)',
  async t => {
    const daemon = await startDaemon(t)
    const id = await daemon.remember('We deploy on Fridays')
    await daemon.call('POST /api/hooks/session-start', { body: { harness: 'codex', sessionKey: 's1' } })
    const { page, complaints } = await openPage(await browser(), `${daemon.url}/ui/`)
    const latest = page.getByRole('region', { name: 'Latest changes' })
    await latest.getByText('We deploy on Fridays').waitFor()
    await page.getByRole('region', { name: 'Given to agents today' }).getByText('codex').waitFor()
    const params = { id }
    await daemon.remember('<img src=x onerror="alert(1)"> Maya owns the search')
    await latest.getByText('Maya owns the search').waitFor()
    await daemon.call('DELETE /api/memory/:id', { params, body: { reason: 'r' } })
    await latest.getByText('forgotten', { exact: true }).waitFor()
    t.deepEqual(await axeInBoth(page), [])
    t.deepEqual(complaints, [])
    await daemon.stop()
    await latest.getByText('The connection is lost').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    const environment = { SERVICE_PORT: new URL(daemon.url).port }
    const again = await startDaemon(t, { workspace: daemon.paths.root, environment })
    await latest.getByText('The connection is lost').waitFor({ state: 'detached' })
    const today = async () => (await again.call('GET /api/analytics/usage')).body.injected.today.byHarness
    await until(async () =>
      (await today()).some(({ harness, starts }) => harness === 'codex' && starts === 1),
    )
    await again.call('POST /api/memory/:id/recover', { params, body: { reason: 'r' } })
    await latest.getByText('brought back').waitFor()
    await page.close()
  },
)

browserTest(
  'channels are switched off and on, what was cut off is shown, and what a session asked is asked again (web.md 3.13)',
  async t => {
    const daemon = await startDaemon(t)
    const { url, call, remember } = daemon
    await remember('the harbour crane lifts containers', {
      structured: { hints: ['which machine moves cargo'] },
    })
    await remember('the lamps of the office are off at night')
    const { page, complaints } = await openPage(
      await browser(),
      `${url}/ui/#/recall?q=where does the harbour crane lift containers at night`,
    )
    const found = page.getByRole('region', { name: 'What was found' })
    await found.getByText('harbour crane').waitFor()
    const channels = page.getByRole('group', { name: 'Channels' })
    t.true(await channels.getByLabel('hints').isChecked())
    t.false(await channels.getByLabel('claims of what is named').isChecked())
    await channels.getByLabel('hints').uncheck()
    await found.getByText('Against the channels of the settings').waitFor()
    t.regex(page.url(), /channels=keyword%2Cvector/u)
    t.true((await found.getByText('off', { exact: true }).count()) > 0)
    await page.getByRole('heading', { name: 'Dropped by the cut-off' }).waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await channels.getByLabel('meaning').uncheck()
    await channels.locator('input:disabled').waitFor()
    t.true(await channels.getByLabel('words').isDisabled(), 'one stays on')
    await channels.getByRole('button', { name: 'As the settings say' }).click()
    await found.getByText('Against the channels of the settings').waitFor({ state: 'detached' })
    t.true(await channels.getByLabel('hints').isChecked())
    await call('POST /api/memory/recall', { body: { query: 'harbour crane', sessionKey: 'night shift' } })
    await page.goto(`${url}/ui/#/sessions`)
    await page.getByRole('link', { name: 'night shift' }).waitFor()
    await page.keyboard.press('j')
    t.is(await page.evaluate('document.activeElement.localName'), 'li', 'a list is walked by keys')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Session night shift' }).waitFor()
    const happened = page.getByRole('region', { name: 'What happened' })
    await happened.getByRole('link', { name: 'the harbour crane lifts containers' }).waitFor()
    await happened.getByText(/^by [a-z+]+, 0\.\d\d$/u).waitFor()
    storeEntities(t, daemon, [{ name: '<b>Till', attributes: [{ content: 'is dull', score: 0.9 }] }])
    await startSession(daemon, { sessionKey: 'night shift' })
    await submitPrompt(daemon, 'where is the B Till?', { sessionKey: 'night shift' })
    await happened.getByRole('link', { name: '<b>Till' }).waitFor()
    await happened.getByText('by name, 0.90').waitFor()
    await happened.getByText(/^by score, 0\.\d\d, importance 0\.8$/u).waitFor()
    await happened.getByText('Left out: 1 shown before').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await happened.getByRole('link', { name: 'Ask again in the lab' }).click()
    await found.getByText('harbour crane').waitFor()
    t.deepEqual(complaints, [])
    await page.close()
  },
)

browserTest(
  'the graph of an entity grows by a click, and a memory tells what is held on its word (web.md 3.14)',
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
    await page.getByRole('button', { name: 'Draw what is around it' }).click()
    const graph = page.getByRole('region', { name: 'Graph' })
    await graph.getByText('2 entities, 1 relation.').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await graph.getByLabel('Entity').selectOption({ label: 'Redis' })
    await graph.getByRole('button', { name: 'Bring what is around it' }).click()
    await graph.getByText('3 entities, 2 relations.').waitFor()
    await graph.getByRole('link', { name: 'Redis' }).waitFor()
    t.deepEqual(await axeInBoth(page), [])
    await page.goto(`${daemon.url}/ui/#/memories/${id}`)
    await page.getByRole('region', { name: 'Held on its word' }).getByText('Redis, for now').waitFor()
    t.deepEqual(await axeInBoth(page), [])
    t.deepEqual(
      complaints.filter(text => !/GL Driver Message/u.test(text)),
      [],
      'besides what a driver says of being slow',
    )
    await page.close()
  },
)
