import { computed, signal } from '@preact/signals'
import { placeOf } from './place.js'

const address = signal(location.hash)
addEventListener('hashchange', () => {
  address.value = location.hash
})

/** The address after the `#`, which browsers do not send, so that no server or log learns it. */
export const place = computed(() => placeOf(address.value))

export function navigate(to: string): void {
  location.hash = to
}

/** Changes the address without a history entry, for filters that change with every key. */
export function replace(to: string): void {
  history.replaceState(null, '', to)
  address.value = to
}
