import { useEffect } from 'preact/hooks'
import { isReachable, needsLogin } from './api/call.js'
import { useLoaded } from './api/loaded.js'
import { enter, may, who } from './api/session.js'
import { Login } from './frame/login.js'
import { Navigation } from './frame/navigation.js'
import { Palette } from './frame/palette.js'
import { pages } from './pages.js'
import { type Key, KeyHelp, useKeys } from './parts/keys.js'
import { Failure, Loading } from './parts/placeholders.js'
import { Toasts } from './parts/toast.js'
import { addressOf } from './routing/place.js'
import { type Page, place } from './routing/router.js'

const retryMs = 3000

/** Items to navigate outside of tables: the lists of the page, one after another. */
const items = '#main :is(.plain-list.lined, .timeline) > li'

/** The first of these elements is the item's target. */
const opened = 'a[href], button:not(:disabled), summary'

export function App() {
  const entered = useLoaded(() => enter(), [])
  useReturn(entered.reload)
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
    const timer = setInterval(() => {
      // Needs no credential and returns only the daemon's health.
      fetch('/health', { cache: 'no-store', credentials: 'omit' }).then(reload, () => undefined)
    }, retryMs)
    return () => clearInterval(timer)
  }, [lost, reload])
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

/** Loads the code of a page and shows it. */
function Open({ page }: { page: Page }) {
  const code = useLoaded(() => page.load(), [page])
  useEffect(() => {
    document.title = `${page.title} · memory-service`
  }, [page])
  if (code.error) return <Failure error={code.error} retry={code.reload} />
  const Shown = code.value?.default
  return Shown ? <Shown place={place.value} /> : <Loading />
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
