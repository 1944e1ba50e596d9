import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, asApiError } from './api/api-error.js'
import { call, errorOfCode, isHealthy, isReachable, needsLogin } from './api/call.js'
import { changes, useLoaded, useReloadOnReturn } from './api/loaded.js'
import { chosenProject, useProjects } from './api/projects.js'
import { enter, may, signInByKey, signInByPassword, signOut, who } from './api/session.js'
import { Palette } from './frame/palette.js'
import { pages } from './pages.js'
import { type Key, KeyHelp, useKeys } from './parts/keys.js'
import { openPalette } from './parts/palette-state.js'
import { Failure, Loading } from './parts/placeholders.js'
import { Toasts } from './parts/toast.js'
import { addressOf } from './routing/place.js'
import { navigate, type Page, place } from './routing/router.js'

const retryMs = 3000

/** Items to navigate outside of tables: the lists of the page, one after another. */
const items = '#main :is(.plain-list.lined, .timeline) > li'

/** The first of these elements is the item's target. */
const opened = 'a[href], button:not(:disabled), summary'

const isMac = /Mac|iPhone|iPad/u.test(navigator.platform)

export function App() {
  const entered = useLoaded(() => enter(), [])
  useReturn(entered.reload)
  useChangesOfOthers()
  useListKeys()
  const shown = pages.filter(({ permission }) => may(permission))
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={toMain}>
        Skip to content
      </button>
      {!needsLogin.value && who.value && <Navigation pages={shown} />}
      {!needsLogin.value && !who.value && !entered.error && <div class="side" />}
      <main id="main" tabIndex={-1}>
        {!isReachable.value && (
          <p class="banner" role="status">
            Connection to the daemon lost. Reconnecting…
          </p>
        )}
        <Body pages={shown} entered={entered} />
      </main>
      {who.value && <Palette pages={shown} />}
      <Toasts />
      <KeyHelp />
    </div>
  )
}

/** Polls after a lost connection until it is restored. */
function useReturn(reload: () => void): void {
  const lost = !isReachable.value
  useEffect(() => {
    if (!lost) return
    const timer = setInterval(async () => {
      if (await isHealthy()) reload()
    }, retryMs)
    return () => clearInterval(timer)
  }, [lost, reload])
}

/** Reloads what agents, other tabs and the terminal may have changed, when the person returns to the page. */
function useChangesOfOthers(): void {
  useEffect(() => {
    const look = () => {
      if (!document.hidden) changes.value++
    }
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
}

interface BodyProps {
  pages: readonly Page[]
  entered: ReturnType<typeof useLoaded<void>>
}

function Body({ pages: shown, entered }: BodyProps) {
  if (needsLogin.value) return <Login />
  if (!who.value)
    return entered.error ? <Failure error={entered.error} retry={entered.reload} /> : <Loading />
  const page = shown.find(({ name }) => name === (place.value.page || shown[0]?.name))
  if (page) return <Open key={page.name} page={page} />
  return (
    <section class="empty">
      <h1>Page not found</h1>
      <p>It does not exist, or your credential does not allow it.</p>
      <p>
        <a href={addressOf(shown[0]?.name ?? '')}>Go to {shown[0]?.title}</a>
      </p>
    </section>
  )
}

/** Loads the code of a page and shows it. A part that failed is loaded by a new page only. */
function Open({ page }: { page: Page }) {
  const code = useLoaded(
    () =>
      page.load().catch(async () => {
        throw await errorOfCode()
      }),
    [page],
  )
  useReloadOnReturn(code.error, reloadPage)
  useEffect(() => {
    document.title = `${page.title} · memory-service`
  }, [page])
  if (code.error) return <Failure error={code.error} retry={reloadPage} />
  const Shown = code.value?.default
  return Shown ? <Shown place={place.value} /> : <Loading />
}

function reloadPage(): void {
  window.location.reload()
}

/** A link cannot lead there, because the part after `#` names a page. */
function toMain(): void {
  document.getElementById('main')?.focus()
}

/** `j` and `k` move through plain lists, `e` and `Enter` open the focused item. */
function useListKeys(): void {
  useKeys(listKeys)
}

function listKeys(): Key[] {
  const all = [...document.querySelectorAll<HTMLElement>(items)]
  const [first] = all
  if (!first) return []
  const at = all.findLastIndex(item => item.contains(document.activeElement))
  const current = all[at]
  const to = (item: HTMLElement | undefined) => () => focusOn(item)
  return [
    { key: 'j', does: 'Next item', run: to(current ? all[at + 1] : first) },
    { key: 'k', does: 'Previous item', run: to(current ? all[at - 1] : first) },
    { key: 'e', does: 'Open the item', run: () => open(current) },
    { key: 'Enter', does: 'Open the item', run: () => open(current) },
  ]
}

function focusOn(item: HTMLElement | undefined): void {
  if (!item) return
  // The item can have the focus, but is not a tab stop.
  item.tabIndex = -1
  item.focus()
  item.scrollIntoView({ block: 'nearest' })
}

function open(item: HTMLElement | undefined): void {
  item?.querySelector<HTMLElement>(opened)?.click()
}

/** Sign-in for modes that require a credential (web.md 2.1). */
function Login() {
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const attempt = (signIn: (fields: FormData) => Promise<void>) => async (event: Event) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    setBusy(true)
    await signIn(new FormData(form)).catch((thrown: unknown) => setError(asApiError(thrown)))
    form.reset()
    setBusy(false)
  }
  const byKey = attempt(fields => signInByKey(textOf(fields, 'key')))
  const byPassword = attempt(fields =>
    signInByPassword(textOf(fields, 'username'), textOf(fields, 'password')),
  )
  return (
    <section class="login">
      <h1>Sign in</h1>
      <p>
        This daemon requires a credential. It is stored in this tab only and removed when you close the tab.
      </p>
      {error && <Failure error={error} />}
      <form onSubmit={byKey}>
        <h2>With an API key</h2>
        <label>
          API key or token
          <input name="key" type="password" autocomplete="off" required spellcheck={false} />
        </label>
        <p class="dim">Admins create keys with memory api-key create --name you --role operator</p>
        <button type="submit" disabled={isBusy}>
          Sign in with the key
        </button>
      </form>
      <form onSubmit={byPassword}>
        <h2>As the admin</h2>
        <label>
          Name
          <input name="username" autocomplete="username" required />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Sign in with the password
        </button>
      </form>
    </section>
  )
}

function textOf(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** The name, the project, the search and the links to the pages. */
function Navigation({ pages: shown }: { pages: readonly Page[] }) {
  const current = place.value.page || shown[0]?.name
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another link
  useEffect(() => {
    // In a narrow window the links form one row, where the current one may be out of sight.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  useKeys(
    shown.slice(0, 10).map(({ name, title }, position) => ({
      key: String((position + 1) % 10),
      does: `Go to ${title}`,
      run: () => navigate(addressOf(name)),
    })),
  )
  return (
    <div class="side">
      <header>
        <a class="brand" aria-label="memory: home" href={addressOf(shown[0]?.name ?? '')}>
          <Logo />
          <span>memory</span>
        </a>
        {may('recall') && <ProjectSwitch />}
        {may('recall') && (
          <button type="button" class="plain to-search" onClick={() => openPalette()}>
            Search… <kbd>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
          </button>
        )}
      </header>
      <nav aria-label="Pages">
        <ul ref={list}>
          {shown.map(({ name, title, icon }) => (
            <li key={name}>
              <a href={addressOf(name)} aria-current={name === current ? 'page' : undefined}>
                <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
                  <path d={icon} />
                </svg>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {who.value && who.value.credential !== 'none' && (
        <p class="who">
          <span class="dim">
            {who.value.actor} ({who.value.role})
          </span>
          <button type="button" class="plain" onClick={signOut}>
            Sign out
          </button>
        </p>
      )}
    </div>
  )
}

/** Three lines that are kept, the last one short: what is remembered. */
function Logo() {
  return (
    <svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
      <rect x="0.5" y="0.5" width="15" height="15" rx="4" />
      <path d="M4 5h8M4 8h8M4 11h4.5" />
    </svg>
  )
}

/** Narrows the lists of the page to a project. Projects without a known folder are those of memories. */
function ProjectSwitch() {
  const { projects, nameOf } = useProjects()
  const counts = useLoaded(signal => call('GET /api/memories/counts', {}, { signal }), [changes.value])
  const known = new Set(projects.flatMap(({ keys }) => keys))
  const others =
    counts.value?.by.project.values.map(({ value }) => value).filter(key => !known.has(key)) ?? []
  const chosen = chosenProject.value
  const keys = [...projects.map(({ key }) => key), ...others, ...(chosen === undefined ? [] : [chosen])]
  return (
    <select
      aria-label="Project"
      value={chosen ?? ''}
      onChange={event => {
        chosenProject.value = event.currentTarget.value || undefined
      }}
    >
      <option value="">All projects</option>
      {[...new Set(keys)].map(key => (
        <option key={key} value={key}>
          {nameOf(key)}
        </option>
      ))}
    </select>
  )
}
