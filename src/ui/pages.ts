import type { ComponentType } from 'preact'
import type { Permission } from '../contract/ground/endpoint.js'
import type { Place } from './place.js'

export interface PageProps {
  place: Place
}

export interface Page {
  /** First part of its address, and the folder that it stands in. */
  name: string
  title: string
  /** Who lacks it is not shown the page. */
  permission?: Permission
  /** Its code, loaded when it is opened. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

/** In the order of the navigation; the first one opens when none is named. */
export const pages: readonly Page[] = [{ name: 'home', title: 'Home', load: () => import('./home/page.js') }]
