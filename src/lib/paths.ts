import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every file and folder of a workspace (rules.md#process-and-files). All paths are absolute. */
export interface WorkspacePaths {
  root: string
  settings: string
  /** MEMORY.md: the rendered summary of everything. */
  summary: string
  /** IDENTITY.md: who the agent is. */
  identity: string
  memoryDir: string
  database: string
  daemonDir: string
  registration: string
  startLock: string
  instanceLock: string
  logsDir: string
  log: string
  launchLog: string
  models: string
  /** The native runtime of models, where one was installed. */
  runtime: string
  snapshot: string
  transcriptSnapshot: string
  /** Chunks of transcripts that memory is too small for, as the index searches them. */
  transcriptSegments: string
  artifactSnapshot: string
  authSecret: string
  /** Folder of the encrypted store of secrets. */
  secretsDir: string
  /** When secrets were used last, by name. */
  secretUses: string
  /** Which password managers are in use; their tokens are in the store. */
  secretProviders: string
  /** What hooks could not hand over while no daemon ran. */
  hookSpool: string
  /** Transcripts that were handed over and wait to be captured. */
  captures: string
  /** Snapshots of sources on their way in. */
  snapshots: string
  /** What is being sent to the daemon. */
  uploads: string
  /** Files of imports of transcripts, a folder for each import. */
  imports: string
  /** The day on which `memory recall` last told why it goes by words. */
  recallNote: string
  /** Anonymous events, one a line. */
  telemetryEvents: string
  /** There once it was said at a terminal where events stay. */
  telemetryTold: string
  /** What `memory connect` changed in the files of harnesses, and how they were before. */
  connections: string
  /** Installed skills, a folder each. */
  skills: string
  /** Where skills are before they are installed and after they are removed. */
  skillStaging: string
  /** Makes the files of harnesses anew; somebody else's program, if there is one. */
  harnessScript: string
  /** Programs that the daemon started, a file each by the number of their process. */
  children: string
  /** Manifests of plugins that did not come with the daemon, a folder each. */
  plugins: string
  /** Which plugins are enabled, and what they were granted. */
  pluginRegistry: string
  /** What happened to plugins, one event a line. */
  pluginAudit: string
  /** What is known of releases of this program. */
  updateRecord: string
  /** Where backups are made and checked. */
  backupWork: string
  /** What is to be taken into the workspace, and what was there before. */
  restore: string
}

/** @param workspace a folder, `~` and relative paths allowed; `SERVICE_WORKSPACE` or `~/.memory-service` when absent. */
export function workspacePaths(workspace?: string): WorkspacePaths {
  const root = resolve(expandHome(workspace || process.env.SERVICE_WORKSPACE || '~/.memory-service'))
  const memoryDir = join(root, 'memory')
  const daemonDir = join(root, '.daemon')
  const logsDir = join(daemonDir, 'logs')
  return {
    root,
    settings: join(root, 'agent.yaml'),
    summary: join(root, 'MEMORY.md'),
    identity: join(root, 'IDENTITY.md'),
    memoryDir,
    database: join(memoryDir, 'memories.db'),
    daemonDir,
    registration: join(daemonDir, 'daemon.json'),
    startLock: join(daemonDir, 'start.lock'),
    instanceLock: join(daemonDir, 'instance.lock'),
    logsDir,
    log: join(logsDir, 'daemon.log'),
    launchLog: join(logsDir, 'launch.log'),
    models: join(daemonDir, 'models'),
    runtime: join(daemonDir, 'runtime'),
    snapshot: join(daemonDir, 'index.snapshot'),
    transcriptSnapshot: join(daemonDir, 'transcripts.snapshot'),
    transcriptSegments: join(daemonDir, 'transcripts.segments'),
    artifactSnapshot: join(daemonDir, 'artifacts.snapshot'),
    authSecret: join(daemonDir, 'auth-secret'),
    secretsDir: join(root, '.secrets'),
    secretUses: join(daemonDir, 'secret-uses.json'),
    secretProviders: join(root, '.secrets', 'providers.json'),
    hookSpool: join(daemonDir, 'hook-spool'),
    captures: join(daemonDir, 'captures'),
    snapshots: join(daemonDir, 'source-snapshots'),
    uploads: join(daemonDir, 'uploads'),
    imports: join(daemonDir, 'imports'),
    recallNote: join(daemonDir, 'recall-note'),
    telemetryEvents: join(daemonDir, 'telemetry', 'events.jsonl'),
    telemetryTold: join(daemonDir, 'telemetry', 'told'),
    connections: join(daemonDir, 'connections'),
    skills: join(root, 'skills'),
    skillStaging: join(daemonDir, 'skill-staging'),
    harnessScript: join(root, 'scripts', 'generate-harness-configs.py'),
    children: join(daemonDir, 'children'),
    plugins: join(root, 'plugins'),
    pluginRegistry: join(daemonDir, 'plugins', 'registry.json'),
    pluginAudit: join(daemonDir, 'plugins', 'audit-v1.ndjson'),
    updateRecord: join(daemonDir, 'update.json'),
    backupWork: join(daemonDir, 'backup-work'),
    restore: join(daemonDir, 'restore'),
  }
}

export function expandHome(path: string): string {
  if (path === '~') return homedir()
  return path.startsWith('~/') || path.startsWith('~\\') ? join(homedir(), path.slice(2)) : path
}
