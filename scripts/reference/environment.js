/** What the CLI reads from the environment, for the reference. */
export const environment = [
  ['SERVICE_WORKSPACE', 'folder of the workspace; default ~/.memory-service'],
  ['SERVICE_HOST', 'address that a started daemon binds to; default 127.0.0.1'],
  ['SERVICE_PORT', 'port that a started daemon takes; default 3850, 0 for any free one'],
  [
    'SERVICE_DAEMON_URL',
    'origin of a daemon that somebody else runs; it is never started or replaced from here',
  ],
  ['SERVICE_API_KEY, SERVICE_TOKEN', 'credential sent to the daemon'],
  ['SERVICE_NO_AUTOSTART', '1: commands never start or replace a daemon; memory daemon start still does'],
  ['SERVICE_EMBEDDING_DOWNLOAD', '0: never download a model'],
  [
    'SERVICE_INDEX_THREAD',
    'auto: the index of many memories (20,000) has a thread of its own; always; never (default auto)',
  ],
  ['SKILLS_API_URL', 'registry that a started daemon searches for skills; default https://skills.sh'],
  ['NO_COLOR, FORCE_COLOR', 'no colours, colours without a terminal'],
]
