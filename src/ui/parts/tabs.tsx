import type { ComponentChildren } from 'preact'
import { addressOf } from '../routing/place.js'

export interface Tab {
  /** First part behind the page in its address; absent for what the page opens with. */
  part?: string
  title: string
}

interface PageHeadProps {
  page: string
  title: string
  tabs: readonly Tab[]
  /** The part that is open. */
  open: string | undefined
  /** Deeds that belong to all of the page. */
  children?: ComponentChildren
}

/** The title of a page that has several parts, with links to them. */
export function PageHead({ page, title, tabs, open, children }: PageHeadProps) {
  return (
    <div class="head-line">
      <h1>{title}</h1>
      <ul class="tabs">
        {tabs.map(({ part, title: name }) => (
          <li key={name}>
            <a
              href={addressOf(page, part === undefined ? [] : [part])}
              aria-current={part === open ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      {children}
    </div>
  )
}
