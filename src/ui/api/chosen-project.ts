import { effect, signal } from '@preact/signals'

const storageKey = 'project'

/** Key of the project that the page is narrowed to; undefined for all. It lasts as long as the tab. */
export const chosenProject = signal<string | undefined>(sessionStorage.getItem(storageKey) ?? undefined)

effect(() => {
  if (chosenProject.value === undefined) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, chosenProject.value)
})
