/**
 * For Fastify's `compilersFactory`: zod validates, so no route has a JSON schema. The compilers, a quarter of
 * Fastify, are not in the bundles (`scripts/bundle-on-demand.js`).
 */
export const withoutJsonSchema = { buildValidator: refuseJsonSchema, buildSerializer: refuseJsonSchema }

function refuseJsonSchema(): never {
  throw new Error('routes have zod schemas, not JSON schemas')
}
