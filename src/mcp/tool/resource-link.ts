import { harmless } from '../../lib/text/harmless.js'

export const resourceScheme = 'memory://'
export const resourceMimeType = 'text/plain'
const maxTitle = 80
/** Links of one result; further ones would repeat its text. */
const maxLinks = 10

/** The kinds that an address names before the id; an id alone is a memory. */
export const namedKinds = ['session', 'entity', 'document'] as const
export type ResourceKind = 'memory' | (typeof namedKinds)[number]

/** Something that a result names and that a client can open as a resource. */
export interface ResourceRef {
  kind: ResourceKind
  /** Id of a memory or document, key of a session, name of an entity. */
  id: string
  title: string
}

/** Describes one resource in the protocol's words. */
export function resourceOf({ kind, id, title }: ResourceRef) {
  const path = kind === 'memory' ? '' : `${kind}/`
  const uri = `${resourceScheme}${path}${encodeURIComponent(id)}`
  return { uri, name: id, title: harmless(title.slice(0, maxTitle)), mimeType: resourceMimeType }
}

/** Content of a result that links to resources, each once. */
export function linksTo(refs: readonly ResourceRef[]) {
  const byUri = new Map(refs.map(resourceOf).map(link => [link.uri, link]))
  return [...byUri.values()].slice(0, maxLinks).map(link => ({ type: 'resource_link' as const, ...link }))
}
