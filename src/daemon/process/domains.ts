/**
 * The process floor: it puts the daemon together, and is the only floor that knows all areas.
 *
 * `main.ts` is the entry of the process, `start.ts` starts and stops the daemon, `context.ts` builds the
 * `Daemon` that use cases get, `app.ts` the HTTP server, `crew.ts` runs the workers, `idle.ts` ends a daemon
 * without work. This file lists every domain. The server takes its routes from the list, and the crew its
 * workers and job kinds. Nothing imports this floor. A rule about memories, sessions or any other subject
 * belongs in its area.
 */

import { harnessFiles } from '../agents/harness-files/domain.js'
import { messages } from '../agents/messages/domain.js'
import { plugins } from '../agents/plugins/domain.js'
import { roster } from '../agents/roster/domain.js'
import { skills } from '../agents/skills/domain.js'
import { tasks } from '../agents/tasks/domain.js'
import { code } from '../knowledge/code/domain.js'
import { connectors } from '../knowledge/connectors/domain.js'
import { documents } from '../knowledge/documents/domain.js'
import { dreaming } from '../knowledge/dreaming/schedule/domain.js'
import { ontology } from '../knowledge/ontology/domain.js'
import { pickers } from '../knowledge/pickers/domain.js'
import { sources } from '../knowledge/sources/domain.js'
import { imports } from '../knowledge/transcript-import/domain.js'
import { changes } from '../memory/change-stream/domain.js'
import { memory } from '../memory/domain.js'
import { search } from '../memory/search/domain.js'
import { vectors } from '../memory/vectors/domain.js'
import { analytics } from '../operations/analytics/domain.js'
import { backup } from '../operations/backup/domain.js'
import { conversion } from '../operations/conversion/domain.js'
import { diagnostics } from '../operations/diagnostics/domain.js'
import { git } from '../operations/git/domain.js'
import { items } from '../operations/items/domain.js'
import { logs } from '../operations/logs/domain.js'
import { metrics } from '../operations/metrics/domain.js'
import { pipeline } from '../operations/pipeline/domain.js'
import { projects } from '../operations/projects/domain.js'
import { recallRecords } from '../operations/recall-records/domain.js'
import { repair } from '../operations/repair/domain.js'
import { retention } from '../operations/retention/domain.js'
import { settings } from '../operations/settings/domain.js'
import { storage } from '../operations/storage/domain.js'
import { sync } from '../operations/sync/domain.js'
import { system } from '../operations/system/domain.js'
import { telemetry } from '../operations/telemetry/domain.js'
import { timeline } from '../operations/timeline/domain.js'
import { transfer } from '../operations/transfer/domain.js'
import { updates } from '../operations/updates/domain.js'
import { credentials } from '../platform/credentials/domain.js'
import type { Domain } from '../platform/domain.js'
import { inference } from '../platform/inference/domain.js'
import { processes } from '../platform/processes/domain.js'
import { exec } from '../secrets/exec/domain.js'
import { secretProviders } from '../secrets/providers/domain.js'
import { secretStore } from '../secrets/store/domain.js'
import { blackBox } from '../sessions/black-box/domain.js'
import { capture } from '../sessions/capture/domain.js'
import { compaction } from '../sessions/compaction/domain.js'
import { hooks } from '../sessions/hooks/domain.js'
import { summaries } from '../sessions/summaries/domain.js'
import { synthesis } from '../sessions/synthesis/domain.js'
import { tracker } from '../sessions/tracker/domain.js'
import { sessionWork } from '../sessions/work/domain.js'

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
