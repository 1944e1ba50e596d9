import { signal } from '@preact/signals'

/** Increased by every change from this page, so that components reload. */
export const changes = signal(0)
