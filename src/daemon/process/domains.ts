/**
 * The process floor: it puts the daemon together, and is the only floor that knows all areas.
 *
 * `main.ts` is the entry of the process, `start.ts` starts and stops the daemon, `context.ts` builds the
 * `Daemon` that use cases get, `app.ts` the HTTP server, `crew.ts` runs the workers, `idle.ts` ends a daemon
 * without work. This file lists every domain. The server takes its routes from the list, and the crew its
 * workers and job kinds. Nothing imports this floor. A rule about memories, sessions or any other subject
 * belongs in its area.
 */

import { harnessFiles, messages, plugins, skills, tasks } from '../agents/domains.js'
import { roster } from '../agents/roster/domain.js'
import { documents } from '../knowledge/documents/domain.js'
import { code, connectors, dreaming, ontology, pickers } from '../knowledge/domains.js'
import { sources } from '../knowledge/sources/domain.js'
import { imports } from '../knowledge/transcript-import/domain.js'
import { changes } from '../memory/change-stream/domain.js'
import { memory, search } from '../memory/domain.js'
import { vectors } from '../memory/vectors/domain.js'
import { analytics } from '../operations/analytics/domain.js'
import { backup } from '../operations/backup/domain.js'
import {
  conversion,
  diagnostics,
  items,
  metrics,
  pipeline,
  projects,
  recallRecords,
  repair,
  settings,
  storage,
  telemetry,
  timeline,
  transfer,
} from '../operations/domains.js'
import { git } from '../operations/git/domain.js'
import { logs } from '../operations/logs/domain.js'
import { retention } from '../operations/retention/domain.js'
import { sync } from '../operations/sync/domain.js'
import { system } from '../operations/system/domain.js'
import { updates } from '../operations/updates/domain.js'
import type { Domain } from '../platform/domain.js'
import { credentials, inference, processes } from '../platform/domains.js'
import { exec, secretProviders } from '../secrets/domains.js'
import { secretStore } from '../secrets/store/domain.js'
import { capture } from '../sessions/capture/domain.js'
import { blackBox, compaction, sessionWork, summaries, synthesis, tracker } from '../sessions/domains.js'
import { hooks } from '../sessions/hooks/domain.js'

/** Every domain of the daemon by name; workers start in this order. */
export const domains = {
  projects,
  system,
  storage,
  settings,
  credentials,
  inference,
  processes,
  secretStore,
  secretProviders,
  memory,
  changes,
  search,
  vectors,
  retention,
  tracker,
  hooks,
  capture,
  compaction,
  synthesis,
  summaries,
  sessionWork,
  blackBox,
  skills,
  harnessFiles,
  roster,
  messages,
  tasks,
  exec,
  documents,
  connectors,
  sources,
  pickers,
  ontology,
  dreaming,
  imports,
  code,
  diagnostics,
  git,
  sync,
  backup,
  pipeline,
  conversion,
  updates,
  logs,
  analytics,
  telemetry,
  recallRecords,
  metrics,
  items,
  timeline,
  repair,
  transfer,
  // Finding new plugins takes longest of all start-up work, so it comes last.
  plugins,
} as const satisfies Readonly<Record<string, Domain>>
