import { useEffect } from 'preact/hooks'
import { useLoaded } from './api/loaded.js'
import { isReachable, needsLogin } from './api/reach.js'
import { enter, may, who } from './api/session.js'
import { useListKeys } from './frame/list-keys.js'
import { Login } from './frame/login.js'
import { Navigation } from './frame/navigation.js'
import { Palette } from './frame/palette.js'
import { pages } from './pages.js'
import { Failure } from './parts/failure.js'
import { KeyHelp } from './parts/keys.js'
import { Loading } from './parts/loading.js'
import { Toasts } from './parts/toast.js'
import type { Page } from './routing/page-props.js'
import { addressOf } from './routing/place.js'
import { place } from './routing/router.js'

const retryMs = 3000

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
