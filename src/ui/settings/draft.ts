import { signal } from '@preact/signals'

/** What was typed and is not saved: it stays while other pages are looked at, and nowhere but in this tab's memory. */
export const draft = signal<string | undefined>(undefined)
