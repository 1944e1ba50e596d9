import type { Request } from '../../contract/api.js'

type RememberBody = NonNullable<Request<'POST /api/memory/remember'>['body']>

/** What a team would have told its agents in a month. */
export const demoMemories: readonly RememberBody[] = [
  {
    content:
      'We decided to keep the billing tables in PostgreSQL 16; MySQL was rejected because it has no partial indexes.',
    tags: 'billing,database',
  },
  {
    content:
      'To deploy the API, tag the commit, let the canary run for ten minutes, then promote it to production.',
    type: 'procedural',
    tags: 'release',
  },
  {
    content:
      'The login test is a known problem on CI: the fake clock starts before the session cookie is set, so it fails at random.',
    tags: 'tests,ci',
  },
  {
    content: 'critical: Never log access tokens or cookies; the redaction list is in src/http/redact.ts.',
    tags: 'security',
  },
  { content: 'Maya prefers small pull requests with one reviewer over long-lived branches.', tags: 'team' },
  {
    content:
      'Learned that the staging cache drops its keys after 15 minutes; long imports have to refresh theirs.',
    tags: 'staging',
  },
  { content: 'Invoice numbers are counted per country and start again every January.', tags: 'billing' },
  {
    content: 'Rotate the signing keys with scripts/rotate-keys.sh; the old key stays valid for one day.',
    type: 'procedural',
    tags: 'security',
  },
  {
    content: 'A tenant is one paying company; a workspace belongs to exactly one tenant.',
    type: 'semantic',
  },
  { content: 'Agreed to drop Node 18 with the June release.', tags: 'release' },
]

/** Asked in other words than the memories have; they share stems only, so that they work without a model too. */
export const demoQuestions = [
  'which database holds our billing tables?',
  'how do deployments get promoted?',
  'why are the login tests failing?',
] as const

/** The demo forgets the answer to the last question, as its problem was solved. */
export const demoReason = 'fixed: the clock starts after the cookie now'
