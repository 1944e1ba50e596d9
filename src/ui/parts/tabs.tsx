import type { ComponentChildren } from 'preact'
import { addressOf } from '../routing/place.js'
import { navigate } from '../routing/router.js'
import { useKeys } from './keys.js'

export interface Tab {
  /** First part of the address after the page; absent for the default tab. */
  part?: string
  title: string
}

interface PageHeadProps {
  page: string
  title: string
  tabs: readonly Tab[]
  /** The open tab. */
  open: string | undefined
  /** True if an item of the tab is open; `Escape` leads back to the tab. */
  isDeep?: boolean
  /** Actions for the whole page. */
  children?: ComponentChildren
}

/** The title of a page with links to its tabs. */
export function PageHead({ page, title, tabs, open, isDeep = false, children }: PageHeadProps) {
  const placeOf = (part: string | undefined) => addressOf(page, part === undefined ? [] : [part])
  useKeys(isDeep ? [{ key: 'Escape', does: 'Back to the list', run: () => navigate(placeOf(open)) }] : [])
  return (
    <div class="head-line">
      <h1>{title}</h1>
      <ul class="tabs">
        {tabs.map(({ part, title: name }) => (
          <li key={name}>
            <a href={placeOf(part)} aria-current={part === open ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      {children}
    </div>
  )
}
