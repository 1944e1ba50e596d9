import type { Place } from './place.js'

/** What the component of a page gets. */
export interface PageProps {
  place: Place
}
