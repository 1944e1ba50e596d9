import type { ComponentType } from 'preact'
import type { Permission } from '../../contract/ground/endpoint.js'
import type { PageAddress } from './place.js'

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
