import type { z } from 'zod'
import type { Address, Reply, Request } from '../../contract/api.js'
import type { BundledPlugin } from '../../contract/ground/plugin-capabilities.js'
import { harmless } from '../../lib/text/harmless.js'
import type { Remedies } from './tool-failure.js'

/** Calls one endpoint of the daemon. @throws ClientError. */
export type Call = <A extends Address>(address: A, request?: Request<A>) => Promise<Reply<A>>

/** Result of a tool: text for a model, and the same as data. */
export interface ToolReply<Output = unknown> {
  text: string
  data: Output
}

/** One tool of this server, independent of the protocol's SDK, which only server.ts uses. */
export interface Tool {
  name: string
  title: string
  /** Tells a model when to use the tool. */
  description: string
  /** `core` tools are essential; a `rare` one repeats another, and is listed only on request. */
  tier: 'core' | 'extra' | 'rare'
  effect: Effect
  /** Plugin of the tool, which is not offered while the plugin is disabled (plugins.md 6). */
  plugin?: BundledPlugin
  input: z.ZodType
  output: z.ZodType
  /** A question to the user before it runs, in clients that ask it; undefined where none is needed. */
  question?(input: unknown): Question | undefined
  /** Resources that a result names, for clients that open links. */
  links?(data: unknown): readonly ResourceRef[]
  /** Advice about errors with a specific meaning for this tool. */
  remedies?: Remedies
  run(call: Call, input: unknown): Promise<ToolReply>
}

/** Asked before a tool runs. */
export interface Question {
  text: string
  /** Memories whose texts are added. */
  memories?: readonly string[]
}

/** Effect of a call. */
export type Effect =
  | 'reads'
  /** Idempotent. */
  | 'adds'
  /** Removes data. */
  | 'removes'
  /** Has arbitrary effects, possibly outside of this machine, with each call. */
  | 'runs'

interface Definition<I extends z.ZodType, O extends z.ZodType>
  extends Omit<Tool, 'run' | 'question' | 'links'> {
  input: I
  output: O
  run(call: Call, input: z.infer<I>): Promise<ToolReply<z.input<O>>>
  question?(input: z.infer<I>): Question | undefined
  links?(data: z.input<O>): readonly ResourceRef[]
}

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

/** Defines a tool whose `run` is typed by its schemas. */
export function tool<I extends z.ZodType, O extends z.ZodType>(definition: Definition<I, O>): Tool {
  const { run, question, links, ...rest } = definition
  return {
    ...rest,
    run: (call, input) => run(call, input as z.infer<I>),
    ...(links && { links: (data: unknown) => links(data as z.input<O>) }),
    ...(question && { question: (input: unknown) => question(input as z.infer<I>) }),
  }
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
