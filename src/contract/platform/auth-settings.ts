import { z } from 'zod'
import { rateBuckets } from '../ground/endpoint.js'
import { roles } from './roles.js'

const passwordHash = /^pbkdf2-sha256\$\d{4,8}\$[\w+/=-]{11,200}\$[\w+/=-]{43,44}$/
const seconds = z.int().min(1).max(315_360_000)

function rateLimit(max: number) {
  return z
    .object({
      windowMs: z.int().min(1).max(86_400_000).default(60_000),
      /** Requests of one actor in any window of that length. */
      max: z.int().min(1).max(100_000).default(max),
    })
    .prefault({})
}

/** The address of a server without a path, as people write it in a browser. */
const serverAddress = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine(
    url => URL.canParse(url) && new URL(url).origin === url,
    'must be scheme, host and port alone, as https://memory.example.org',
  )

/** An issuer of tokens that the company has (team.md). */
const oidcSettings = z.object({
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
  /** Audience of its tokens; default: `auth.publicUrl`, alone and with `/mcp`. */
  audience: z.string().min(1).max(500).optional(),
  /** If tokens need the names of permissions as scopes; otherwise the role decides alone. */
  checkScopes: z.boolean().default(true),
  /** Claim with the roles or groups of a person; dots lead into objects. */
  roleClaim: z.string().min(1).max(200).default('roles'),
  /** A value of that claim, or `*` for each valid token -> role here; all others are refused. */
  roles: z.record(z.string().max(500), z.enum(roles)).prefault({}),
})

/** Authentication and rate limits (security.md 5). */
export const authSettings = z.object({
  mode: z.enum(['local', 'team', 'hybrid']).default('local'),
  /** Lets mode local listen on an address that other machines can reach. */
  openToNetwork: z.boolean().default(false),
  /**
   * Users of this machine whom mode local lets in without a key. Absent: the owner, where the system shows
   * whose connection it is (Linux), else all. own: only callers that can read the workspace. any: all.
   */
  localUsers: z.enum(['own', 'any']).optional(),
  /** Lets administrators on other machines run programs here, which equals a shell (permissions.md). */
  remoteAdminMayRun: z.boolean().default(false),
  /**
   * Name of a credential, or `*` for each -> absolute folders of this machine below which it may name files.
   * Admins need none.
   */
  folders: z
    .record(
      z.string().max(255),
      z
        .array(
          z
            .string()
            .max(4096)
            .regex(/^(?:[/\\]|[A-Za-z]:[/\\])/u, 'must be an absolute path'),
        )
        .max(100),
    )
    .prefault({}),
  /** Where others reach the daemon, such as the address of a proxy with TLS (team.md). */
  publicUrl: serverAddress.optional(),
  /** Login over OAuth in modes team and hybrid. */
  oauth: z.object({ enabled: z.boolean().default(true) }).prefault({}),
  oidc: oidcSettings.prefault({}),
  defaultTokenTtlSeconds: seconds.default(604_800),
  sessionTokenTtlSeconds: seconds.default(86_400),
  login: z
    .object({
      password: z
        .object({
          username: z.string().min(1).max(255).default('admin'),
          passwordHash: z
            .string()
            .regex(
              passwordHash,
              'must be the output of memory auth hash-password (pbkdf2-sha256$<iterations>$<salt>$<hash>), not the password',
            )
            .optional(),
        })
        .prefault({}),
      sso: z.object({ enabled: z.boolean().default(false) }).prefault({}),
      saml: z.object({ enabled: z.boolean().default(false) }).prefault({}),
    })
    .prefault({}),
  rateLimits: z
    .object({
      forget: rateLimit(rateBuckets.forget),
      modify: rateLimit(rateBuckets.modify),
      batchForget: rateLimit(rateBuckets.batchForget),
      forceDelete: rateLimit(rateBuckets.forceDelete),
      admin: rateLimit(rateBuckets.admin),
      login: rateLimit(rateBuckets.login),
      inferenceExplain: rateLimit(rateBuckets.inferenceExplain),
      inferenceExecute: rateLimit(rateBuckets.inferenceExecute),
      inferenceGateway: rateLimit(rateBuckets.inferenceGateway),
      recallLlm: rateLimit(rateBuckets.recallLlm),
    })
    .prefault({}),
})
