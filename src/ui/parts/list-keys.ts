import { type Key, useKeys } from './keys.js'

/** What is walked through where no table is: the lists of the page, one after the other. */
const items = '#main :is(.plain-list.lined, .timeline) > li'
/** The first of these in an item is what it leads to. */
const opened = 'a[href], button:not(:disabled), summary'

/** `j` and `k` walk through plain lists, `e` and `Enter` open what has the focus. */
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
    { key: 'j', does: 'Next of the list', run: to(current ? all[at + 1] : first) },
    { key: 'k', does: 'The one before', run: to(current ? all[at - 1] : first) },
    { key: 'e', does: 'Open what it leads to', run: () => open(current) },
    { key: 'Enter', does: 'Open what it leads to', run: () => open(current) },
  ]
}

function focusOn(item: HTMLElement | undefined): void {
  if (!item) return
  // No stop of the tab key, but a place that can have the focus.
  item.tabIndex = -1
  item.focus()
  item.scrollIntoView({ block: 'nearest' })
}

function open(item: HTMLElement | undefined): void {
  item?.querySelector<HTMLElement>(opened)?.click()
}
