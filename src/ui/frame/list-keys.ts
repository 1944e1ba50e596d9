import { type Key, useKeys } from '../parts/keys.js'

/** Items to navigate outside of tables: the lists of the page, one after another. */
const items = '#main :is(.plain-list.lined, .timeline) > li'

/** The first of these elements is the item's target. */
const opened = 'a[href], button:not(:disabled), summary'

/** `j` and `k` move through plain lists, `e` and `Enter` open the focused item. */
export function useListKeys(): void {
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
