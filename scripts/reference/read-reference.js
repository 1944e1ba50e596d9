import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Plugin } from '@oclif/core'
import { sdkFiles } from '../sdks/sdk-files.js'
import { commandReference } from './command-reference.js'
import { architecturePage } from './layer-tables.js'
import { manPages } from './man-pages.js'
import { pluginFolder, registryEntry } from './plugin-folder.js'

/**
 * Every generated file: most come from the command classes, the tables of docs/architecture.md from
 * layers.json, the plug-in for coding agents from the entries of `memory connect`, and parts of the SDKs from
 * the OpenAPI document.
 * @param {string} root of the package. @param {string} built folder with command-classes.mjs.
 * @returns {Promise<Record<string, string>>} texts by path below the root.
 */
export async function readReference(root, built) {
  const pjson = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const classes = join(built, 'command-classes.mjs')
  const { exitCodes, harnesses } = await import(pathToFileURL(classes).href)
  const manifest = await readManifest(pjson, built)
  const reference = {
    bin: pjson.oclif.bin,
    version: pjson.version,
    topics: pjson.oclif.topics,
    exitCodes: Object.values(exitCodes),
    commands: Object.values(manifest.commands).filter(({ hidden }) => !hidden),
  }
  const pages = manPages(reference)
  // npm links man pages of a global installation only if they are listed one by one.
  const listed = { ...pjson, man: Object.keys(pages).sort() }
  return {
    'package.json': `${JSON.stringify(listed, null, 2)}\n`,
    'oclif.manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'docs/commands.md': commandReference(reference),
    'docs/architecture.md': await architecturePage(root),
    ...registryEntry(pjson),
    ...pluginFolder(pjson, harnesses),
    ...pages,
    ...(await sdkFiles(root, built)),
  }
}

/** The manifest as `oclif manifest` writes it, with commands in order of their ids. */
async function readManifest(pjson, built) {
  const plugin = new Plugin({
    root: built,
    type: 'core',
    isRoot: true,
    ignoreManifest: true,
    errorOnManifestCreate: true,
    pjson: {
      ...pjson,
      oclif: {
        ...pjson.oclif,
        commands: { strategy: 'explicit', target: './command-classes.mjs', identifier: 'commands' },
      },
    },
  })
  await plugin.load()
  const ids = Object.keys(plugin.manifest.commands).sort()
  return {
    commands: Object.fromEntries(ids.map(id => [id, plugin.manifest.commands[id]])),
    version: plugin.version,
  }
}
