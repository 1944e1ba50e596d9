import type { ComponentChildren } from 'preact'
import { addressOf } from '../routing/place.js'
import { go } from '../routing/router.js'
import { useKeys } from './keys.js'

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
  /** One thing of the part is open: `Escape` leads back to the part. */
  isDeep?: boolean
  /** Deeds that belong to all of the page. */
  children?: ComponentChildren
}

/** The title of a page that has several parts, with links to them. */
export function PageHead({ page, title, tabs, open, isDeep = false, children }: PageHeadProps) {
  const placeOf = (part: string | undefined) => addressOf(page, part === undefined ? [] : [part])
  useKeys(isDeep ? [{ key: 'Escape', does: 'Back to the list', run: () => go(placeOf(open)) }] : [])
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
