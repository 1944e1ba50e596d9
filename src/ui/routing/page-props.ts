import type { PageAddress } from './place.js'

/** Props of a page's component. */
export interface PageProps {
  place: PageAddress
}
