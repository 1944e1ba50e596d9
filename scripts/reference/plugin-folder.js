import { parse } from 'smol-toml'

const name = 'memory-service'
const title = 'Memory'
const description =
  'One local memory for every coding agent on this machine: context at the start of a session and with each ' +
  'prompt, and tools to search and save.'
const author = { name: 'memory-service' }
const keywords = ['memory', 'context', 'recall', 'mcp', 'hooks']
const category = 'Productivity'

/** Variables for the server in agents that start it with little more than HOME and PATH. */
const variables = {
  names: ['SERVICE_WORKSPACE', 'SERVICE_DAEMON_URL', 'SERVICE_PORT', 'SERVICE_API_KEY'],
  plain: {},
}

/** The entry of this package in the registry of MCP servers, whose descriptions have 100 characters. */
export function registryEntry(pjson) {
  const entry = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: pjson.mcpName,
    title,
    description: 'One local memory for every coding agent on this machine: search, save, and hand over.',
    version: pjson.version,
    packages: [
      {
        registryType: 'npm',
        identifier: pjson.name,
        version: pjson.version,
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          { name: 'SERVICE_WORKSPACE', description: 'Folder with the memories', format: 'filepath' },
          { name: 'SERVICE_API_KEY', description: 'Key, if the daemon asks for one', isSecret: true },
        ],
      },
    ],
  }
  return { 'server.json': `${JSON.stringify(entry, null, 2)}\n` }
}

/** The agents in whose plug-in folders we are, and the files that their manifests name. */
const agents = ['claude-code', 'codex', 'cursor', 'copilot']

/** Agents that run one server of a name. Others run ours twice if `memory connect` added it too. */
const replacing = new Set(['codex', 'copilot'])

/**
 * Returns the generated files of `plugin/`, the marketplace with our plug-in for coding agents. Hooks and
 * servers are those that `memory connect` writes, with the programs by name. The skills beside them are
 * written by hand.
 * @param pjson package.json @param harnesses those of `memory connect`
 * @returns {Record<string, string>} texts by path below the root of the package.
 */
export function pluginFolder({ version, license }, harnesses) {
  const about = { name, description, version, author, license, keywords }
  const parts = agent => partsOf(harnesses.find(harness => harness.name === agent))
  const antigravity = parts('antigravity')
  const own = agents.flatMap(agent => {
    const { hooks, servers } = parts(agent)
    return [
      [`hooks/${agent}.json`, hooks],
      [`mcp/${agent}.json`, servers],
    ]
  })
  const files = {
    ...marketplaces(version),
    ...inFolder({
      ...Object.fromEntries(own),
      '.claude-plugin/plugin.json': { ...about, ...partPaths('claude-code') },
      '.codex-plugin/plugin.json': {
        ...about,
        skills: './skills/',
        ...partPaths('codex'),
        interface: {
          displayName: title,
          shortDescription: 'Long-term memory shared by coding agents',
          longDescription: description,
          developerName: author.name,
          category,
        },
      },
      '.cursor-plugin/plugin.json': {
        ...about,
        displayName: title,
        category: 'developer-tools',
        skills: './skills/',
        ...partPaths('cursor'),
      },
      '.plugin/plugin.json': { ...about, category, skills: 'skills/', ...partPaths('copilot') },
      // Antigravity finds everything else by its place. Its newer versions have a manifest of their own.
      'plugin.json': about,
      '.antigravity-plugin/plugin.json': about,
      'hooks.json': antigravity.hooks,
      'mcp_config.json': antigravity.servers,
    }),
  }
  return Object.fromEntries(
    Object.entries(files).map(([path, value]) => [`plugin/${path}`, `${JSON.stringify(value, null, 2)}\n`]),
  )
}

function marketplaces(version) {
  const source = `./${name}`
  const shared = { name, owner: author }
  return {
    '.claude-plugin/marketplace.json': {
      ...shared,
      metadata: { description, version },
      plugins: [{ name, source, description, version, category }],
    },
    '.agents/plugins/marketplace.json': {
      name,
      interface: { displayName: title },
      plugins: [
        {
          name,
          source: { source: 'local', path: source },
          policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
          category,
        },
      ],
    },
    '.cursor-plugin/marketplace.json': {
      ...shared,
      metadata: { description },
      plugins: [{ name, source: name, description }],
    },
  }
}

function inFolder(files) {
  return Object.fromEntries(Object.entries(files).map(([path, value]) => [`${name}/${path}`, value]))
}

function partPaths(agent) {
  return { hooks: `./hooks/${agent}.json`, mcpServers: `./mcp/${agent}.json` }
}

/** What `memory connect` writes for an agent into empty files. */
function partsOf(harness) {
  const edits = harness.edits(machine, {
    scope: 'user',
    transport: 'command',
    hookCommand: hook => ({ command: `memory hook ${hook} -H ${harness.name} --plugin` }),
    mcpWords: ['service-mcp', ...(replacing.has(harness.name) ? [] : ['--plugin', harness.name])],
    variables,
    ownOrigins: [],
    withMcp: true,
    toolHooks: true,
    allowTools: undefined,
    read: () => '',
  })
  const textOf = kind => edits.find(edit => edit.kind === kind).add('')
  const { file } = edits.find(({ kind }) => kind === 'MCP server')
  const server = textOf('MCP server')
  return {
    hooks: JSON.parse(textOf('hooks')),
    servers: file.endsWith('.toml') ? { mcpServers: parse(server).mcp_servers } : JSON.parse(server),
  }
}

const machine = { env: {}, home: '/', folder: '/', platform: 'linux' }
