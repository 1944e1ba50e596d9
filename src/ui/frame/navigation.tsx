import { useEffect, useRef } from 'preact/hooks'
import { call } from '../api/call.js'
import { changes } from '../api/changes.js'
import { chosenProject } from '../api/chosen-project.js'
import { useLoaded } from '../api/loaded.js'
import { useProjects } from '../api/project-names.js'
import { may, signOut, who } from '../api/session.js'
import { useKeys } from '../parts/keys.js'
import { openPalette } from '../parts/palette-state.js'
import { addressOf } from '../routing/place.js'
import { navigate, type Page, place } from '../routing/router.js'

/** The name, the project, the search and the links to the pages. */
export function Navigation({ pages: shown }: { pages: readonly Page[] }) {
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

const isMac = /Mac|iPhone|iPad/u.test(navigator.platform)

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
