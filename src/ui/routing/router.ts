import { computed, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import type { Permission } from '../../contract/ground/endpoint.js'
import { type PageAddress, placeOf } from './place.js'

const address = signal(location.hash)

/** Props of a page's component. */
export interface PageProps {
  place: PageAddress
}

export interface Page {
  /** First part of its address, and name of its folder. */
  name: string
  title: string
  /** Lines of a drawing in a square of 16. */
  icon: string
  /** The page is hidden without it. */
  permission?: Permission
  /** Loads its code on demand. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

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
