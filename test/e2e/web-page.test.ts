// runs: in turn

import { settled } from '../../scripts/browser.js'
import { axeFindings, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { applied, operation } from '../helpers/ontology.js'
import { startTeam } from '../helpers/team.js'

const browser = sharedBrowser()

browserTest(
  'each page opens on an empty workspace with local requests only, and axe finds nothing (web.md 1.3)',
  async t => {
    const { url } = await startDaemon(t)
    const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/`)
    await page.getByRole('navigation').waitFor()
    const names = await page.getByRole('navigation').getByRole('link').allTextContents()
    t.true(names.length > 0)
    for (const name of names) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await settled(page)
      t.deepEqual(await axeFindings(page), [], name)
      await page.emulateMedia({ colorScheme: 'dark' })
      t.deepEqual(await axeFindings(page, ['color-contrast']), [], `${name}, dark`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    t.deepEqual(complaints, [])
    t.deepEqual(
      asked.filter(address => !address.startsWith(`${url}/`)),
      [],
    )
    await page.close()
  },
)

browserTest(
  'in team mode the page asks for a credential, keeps it in its tab, and shows only permitted parts (web.md 2.1)',
  async t => {
    const team = await startTeam(t)
    const { key } = await team.key({ role: 'readonly' })
    const context = await browser()
    const { page, asked } = await openPage(context, `${team.url}/ui/`)
    await page.getByLabel('API key or token').fill('svc_sk_wrong')
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.getByRole('alert').waitFor()
    t.deepEqual(await axeFindings(page), [])
    await page.getByLabel('API key or token').fill(key)
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    t.deepEqual(
      asked.filter(address => address.includes(key)),
      [],
    )
    t.is(await page.evaluate('JSON.stringify([localStorage, document.cookie])'), '[{},""]')
    const other = await openPage(context, `${team.url}/ui/`)
    await other.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await other.page.close()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    t.is(await page.evaluate('sessionStorage.length'), 0)
    await page.close()
  },
)

const markup = '<img src=x onerror="alert(1)"> [click](javascript:alert(2)) <script>alert(3)</script>'

browserTest('markup in memories is shown as text on every page and never runs (web.md 1.4)', async t => {
  const { url, call, remember } = await startDaemon(t)
  for (let position = 0; position < 10; position++)
    await remember(`${markup} number ${position} of the harbour`, {
      tags: ['<b onmouseover=alert(4)>bold</b>'],
      who: '<i>someone</i>',
      project: '/<svg onload=alert(5)>',
      sourcePath: 'javascript:alert(6)',
    })
  await call('POST /api/hooks/session-start', {
    body: { harness: 'claude-code', sessionKey: '<u>session</u>', project: '/<svg onload=alert(5)>' },
  })
  const [{ id: source = '' } = {}] = (await call('GET /api/memories')).body.memories
  const entity = { name: `${markup.slice(0, 60)} crane`, type: '<s>thing</s>' }
  await applied(t, { call }, operation('create_entity', entity, { [source]: 'of the harbour' }))
  const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/`)
  const shown = {
    home: 'number 9',
    memories: 'number 9',
    'recall?q=harbour': 'number 9',
    sessions: '<u>session',
    knowledge: 'crane',
  }
  for (const [place, text] of Object.entries(shown)) {
    await page.goto(`${url}/ui/#/${place}`)
    await page.getByText(text).first().waitFor()
    t.deepEqual(await axeFindings(page), [], place)
  }
  const { memories } = (await call('GET /api/memories')).body
  await page.goto(`${url}/ui/#/memories/${memories[0]?.id}`)
  await page.getByRole('region', { name: 'History' }).getByText('Saved').waitFor()
  t.deepEqual(await axeFindings(page), [])
  t.is(await page.locator('a[href^="javascript:"], #page img, #page script, #page b, #page i').count(), 0)
  t.deepEqual(complaints, [])
  t.deepEqual(
    asked.filter(address => !address.startsWith(`${url}/`)),
    [],
  )
  await page.close()
})

browserTest('a wrong memory is found, corrected, forgotten, and restored with undo (web.md 3.1)', async t => {
  const { url, call, remember } = await startDaemon(t)
  await remember('We deploy on Fridays', { tags: 'release' })
  const other = await remember('Maya owns the search cluster', { pinned: true })
  const { page, complaints } = await openPage(await browser(), `${url}/ui/#/memories`)
  await page.getByRole('row', { name: /Fridays/u }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('deploy')
  await page.getByText('match, best first').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Correct…' }).click()
  await page.getByLabel('Correct text').fill('We deploy on Tuesdays')
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await page.getByRole('region', { name: 'Lineage' }).getByText('We deploy on Fridays').waitFor()
  await page.goto(`${url}/ui/#/memories/${other}`)
  const open = page.getByRole('region', { name: 'Memory', exact: true })
  await open.getByText('Maya owns the search cluster').first().waitFor()
  await page
    .getByRole('row', { name: /search cluster/u })
    .getByRole('checkbox')
    .click()
  await page
    .getByRole('region', { name: 'Selected memories' })
    .getByRole('button', { name: 'Forget…' })
    .click()
  await page.getByLabel(/Also forget\s+the 1 pinned/u).check()
  await page.getByRole('button', { name: 'Forget', exact: true }).click()
  await page.getByText('Forgot 1').waitFor()
  await open.waitFor({ state: 'detached' })
  t.is((await call('GET /api/memory/:id', { params: { id: other } })).status, 404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone').waitFor()
  t.is((await call('GET /api/memory/:id', { params: { id: other } })).status, 200)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  t.deepEqual(await axeFindings(page), [])
  t.deepEqual(complaints, [])
  await page.close()
})
