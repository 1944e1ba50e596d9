/**
 * For Fastify as `compilersFactory`: no route has a JSON schema, zod validates, and what would compile them, a quarter of
 * Fastify, is not in the bundles (`scripts/bundle-on-demand.js`).
 */
export const withoutJsonSchema = { buildValidator: refuseJsonSchema, buildSerializer: refuseJsonSchema }

function refuseJsonSchema(): never {
  throw new Error('routes have schemas of zod in their endpoint, no JSON schema')
}
