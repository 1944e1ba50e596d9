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

/** All endpoints of the HTTP API, used for the routes, OpenAPI and the guard tests. */
export const endpoints = [
  ...operationsEndpoints,
  ...platformEndpoints,
  ...memoryEndpoints,
  ...sessionsEndpoints,
  ...knowledgeEndpoints,
  ...agentsEndpoints,
  ...secretsEndpoints,
] as const satisfies readonly EndpointShape[]

type KnownEndpoint = (typeof endpoints)[number]
type AddressOf<E extends EndpointShape> = `${E['method']} ${E['path']}`

/**
 * An endpoint's key, such as `POST /api/memory/recall`; clients use it without loading a schema at run time.
 */
export type Address = AddressOf<KnownEndpoint>
type EndpointAt<A extends Address> = Extract<
  KnownEndpoint,
  { method: A extends `${infer M} ${string}` ? M : never; path: A extends `${string} ${infer P}` ? P : never }
>
type Input<E, K extends string> = E extends { [key in K]: infer S extends z.ZodType } ? z.input<S> : undefined

export type Request<A extends Address> = {
  params?: Input<EndpointAt<A>, 'params'>
  query?: Record<string, string | number | boolean | undefined>
  body?: Input<EndpointAt<A>, 'body'>
  /** Body of an endpoint that accepts JSON lines. */
  lines?: EndpointAt<A> extends { stream: { contentType: 'application/x-ndjson' } } ? string : undefined
  /** Files and fields of an endpoint that accepts forms. */
  form?: EndpointAt<A> extends { form: object } ? FormData : undefined
  /** Body of an endpoint that accepts raw bytes or one JSON; `headers` give its type. */
  bytes?: EndpointAt<A> extends { stream: { contentType: '*/*' | 'application/json' } }
    ? Uint8Array
    : undefined
  /** Headers of the request. */
  headers?: Record<string, string | undefined>
}
export type Reply<A extends Address> = z.infer<EndpointAt<A>['response']>
