import { computed, signal } from '@preact/signals'
import { placeOf } from './place.js'

const address = signal(location.hash)
addEventListener('hashchange', () => {
  address.value = location.hash
})

/** Where the page is: behind the `#`, which browsers keep to themselves, so no server or log learns what is looked at. */
export const place = computed(() => placeOf(address.value))

export function go(to: string): void {
  location.hash = to
}

/** Goes there without a step of its own in the history: filters that change with every key. */
export function replace(to: string): void {
  history.replaceState(null, '', to)
  address.value = to
}
