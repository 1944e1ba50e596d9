import { signal } from '@preact/signals'

/** Counted up by whatever this page changes, so that what shows it is loaded anew. */
export const changes = signal(0)
