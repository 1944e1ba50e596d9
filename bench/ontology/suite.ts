import { listEntities, showEntity } from '../../src/daemon/knowledge/ontology/entities.js'
import { explainClaim } from '../../src/daemon/knowledge/ontology/explain/explain-claim.js'
import { performOperations } from '../../src/daemon/knowledge/ontology/perform-operation.js'
import type { Daemon } from '../../src/daemon/platform/daemon/daemon.js'
import { promptSubmit } from '../../src/daemon/sessions/hooks/prompt-submit.js'
import { benchCaller as caller } from '../caller.js'
import { withDaemonHere } from '../daemon/in-process.js'
import { fill } from '../sessions/fill.js'
import { measure, type SessionFigure } from '../sessions/suite.js'

const counts = { memories: 100_000, sessions: 0, entities: 50_000, claims: 4 }
const limits = { version_limit: 20, premise_limit: 50, reverse_limit: 50, max_depth: 3 }

/** Measures reads and writes of the ontology with 50,000 entities and 200,000 values, in process. */
export async function runOntologySuite({ runs = 100 }: { runs?: number } = {}): Promise<SessionFigure[]> {
  return withDaemonHere((daemon, { database }) => {
    fill(database, counts)
    return measureOntology(daemon, runs)
  })
}

async function measureOntology(daemon: Daemon, runs: number): Promise<SessionFigure[]> {
  const named = (run: number) => `word${(run * 37 + 37) % 3000} crane ${(run * 37 + 37) % 3000}`
  return [
    await measure('user-prompt-submit that names an entity', runs, run =>
      promptSubmit(daemon, caller, {
        harness: 'bench',
        sessionKey: `s${run}`,
        userMessage: `please look at ${named(run)} and tell me what is wrong with it`,
      }),
    ),
    await measure('explain a claim', runs, run =>
      explainClaim(daemon, caller, {
        entity: named(run),
        aspect: 'note',
        group: 'general',
        claim: 'state1',
        ...limits,
      }),
    ),
    await measure('list a page of entities', runs, run =>
      listEntities(daemon, caller, { limit: 50, offset: Math.max(0, run) }),
    ),
    await measure('list entities by name prefix', runs, run =>
      listEntities(daemon, caller, { q: `word${Math.max(0, run)}`, limit: 50, offset: 0 }),
    ),
    await measure('show an entity', runs, run => showEntity(daemon, caller, { id: named(run) })),
    await measure('assert a value with its quote', runs, run =>
      performOperations(daemon, caller, {
        mode: 'apply',
        operations: [
          {
            operation: 'assert_claim',
            payload: {
              entity: named(run),
              aspect: 'note',
              group: 'general',
              claim: `new ${run}`,
              kind: 'attribute',
              value: 'lifts containers',
            },
            reason: 'bench',
            confidence: 0.9,
            evidence: [
              { sourceKind: 'memory', sourceId: `m${Math.max(0, run)}`, quote: 'the harbour crane' },
            ],
          },
        ],
      }),
    ),
  ]
}
