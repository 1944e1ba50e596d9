import { axeFindings, browserTest, openPage, sharedBrowser } from '../helpers/browser.js'
import { startDaemon } from '../helpers/daemon.js'
import { startTeam } from '../helpers/team.js'

const browser = sharedBrowser()

browserTest(
  'each page opens on an empty workspace, from here alone, and axe finds nothing (web.md 1.3)',
  async t => {
    const { url } = await startDaemon(t)
    const { page, complaints, asked } = await openPage(await browser(), `${url}/ui/`)
    await page.getByRole('navigation').waitFor()
    const names = await page.getByRole('navigation').getByRole('link').allTextContents()
    t.true(names.length > 0)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      for (const name of names) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { level: 1, name }).waitFor()
        await page.waitForLoadState('networkidle')
        t.deepEqual(await axeFindings(page), [], `${name}, ${scheme}`)
      }
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
  'a team’s page asks for a credential, keeps it in its tab alone, and shows what it allows (web.md 2.1)',
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
