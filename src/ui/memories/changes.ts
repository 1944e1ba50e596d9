import { signal } from '@preact/signals'

/** Counted up by whatever changes memories, so that what shows them is loaded anew. */
export const changes = signal(0)
