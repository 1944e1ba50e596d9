/**
 * The contract: every HTTP endpoint, error code and setting, as literals and zod schemas.
 *
 * Each endpoint is one literal with its method, path, permission, schemas and outcomes. The daemon binds
 * these literals, OpenAPI is made from them, and clients take their types from them. `endpoints` below is
 * the whole list. It contains no behaviour: the rules that need a row of the database are in the use cases
 * of `src/daemon`. Clients import types only, because loading zod would take longer than most commands run.
 */

import type { z } from 'zod'
import { agentsEndpoints } from './agents/endpoints.js'
import type { EndpointShape } from './ground/endpoint.js'
import { knowledgeEndpoints } from './knowledge/endpoints.js'
import { memoryEndpoints } from './memory/endpoints.js'
import { operationsEndpoints } from './operations/endpoints.js'
import { platformEndpoints } from './platform/endpoints.js'
import { secretsEndpoints } from './secrets/endpoints.js'
import { sessionsEndpoints } from './sessions/endpoints.js'

/** Every endpoint of the HTTP API: what is bound, what OpenAPI shows, what the guard tests walk. */
export const endpoints = [
  ...operationsEndpoints,
  ...platformEndpoints,
  ...memoryEndpoints,
  ...sessionsEndpoints,
  ...knowledgeEndpoints,
  ...agentsEndpoints,
  ...secretsEndpoints,
] as const satisfies readonly EndpointShape[]

type Known = (typeof endpoints)[number]
type AddressOf<E extends EndpointShape> = `${E['method']} ${E['path']}`

/** `POST /api/memory/recall` and so on: clients name an endpoint by it and load no schema at run time. */
export type Address = AddressOf<Known>
type At<A extends Address> = Extract<
  Known,
  { method: A extends `${infer M} ${string}` ? M : never; path: A extends `${string} ${infer P}` ? P : never }
>
type Input<E, K extends string> = E extends { [key in K]: infer S extends z.ZodType } ? z.input<S> : undefined

export type Request<A extends Address> = {
  params?: Input<At<A>, 'params'>
  query?: Record<string, string | number | boolean | undefined>
  body?: Input<At<A>, 'body'>
  /** Body of an endpoint that takes lines of JSON. */
  lines?: At<A> extends { stream: { contentType: 'application/x-ndjson' } } ? string : undefined
  /** Files and fields, for an endpoint that takes forms. */
  form?: At<A> extends { form: object } ? FormData : undefined
  /** Body of an endpoint that takes bytes, or one JSON as it comes; `headers` name its type. */
  bytes?: At<A> extends { stream: { contentType: '*/*' | 'application/json' } } ? Uint8Array : undefined
  /** Headers that the endpoint reads. */
  headers?: Record<string, string | undefined>
}
export type Reply<A extends Address> = z.infer<At<A>['response']>
