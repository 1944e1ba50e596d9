import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Scope } from './daemon-process.js'
import { emptyFolder, type FakeProgram, fakeProgram } from './fake-program.js'

interface FakeItem {
  id: string
  type: number
  name: string
  folderId: string | null
  login: { username: string | null; password: string | null; uris?: object[]; totp?: string } | null
}

export interface BitwardenVault {
  loggedIn: boolean
  /** The session of the unlocked vault. */
  session: string
  folders: { id: string; name: string }[]
  items: FakeItem[]
  /** Saves passwords in capitals, like a manager that changes its input. */
  mangles?: boolean
  hangs?: boolean
}

export interface FakeManager<Vault> extends FakeProgram {
  vault(): Vault
  change(fields: Partial<Vault>): void
}

/** `bw`, with the arguments, output and exit codes of Bitwarden's own command (2026.6). */
export function fakeBitwarden(t: Scope, fields: Partial<BitwardenVault> = {}): FakeManager<BitwardenVault> {
  const vault = { loggedIn: true, session: 'the-session', folders: [], items: [], ...fields }
  return fakeManager(t, 'bw', vault, bitwardenCode)
}

interface OnePasswordVaults {
  token: string
  vaults: { id: string; name: string; items: { id: string; title: string; fields: object[] }[] }[]
}

/** `op`, with the arguments, output and exit codes of 1Password's own command (2.x). */
export function fakeOnePassword(
  t: Scope,
  fields: Partial<OnePasswordVaults> = {},
): FakeManager<OnePasswordVaults> {
  return fakeManager(t, 'op', { token: 'ops_the-token', vaults: [], ...fields }, onePasswordCode)
}

/** A PATH with both programs. */
export function pathOf(...programs: readonly FakeProgram[]): string {
  return programs.map(({ path }) => path).join(delimiter)
}

function fakeManager<Vault extends object>(
  t: Scope,
  name: string,
  vault: Vault,
  code: string,
): FakeManager<Vault> {
  const file = join(emptyFolder(t), 'vault.json')
  const read = (): Vault => JSON.parse(readFileSync(file, 'utf8'))
  const change = (fields: Partial<Vault>): void =>
    writeFileSync(file, JSON.stringify({ ...vault, ...fields }))
  change({})
  const head = `const fs = require('node:fs'); const file = ${JSON.stringify(file)};
const vault = JSON.parse(fs.readFileSync(file, 'utf8')); const args = process.argv.slice(2);
const save = () => { fs.writeFileSync(file + '.new', JSON.stringify(vault)); fs.renameSync(file + '.new', file) };
const say = value => process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value));
const fail = words => { process.stderr.write(words); process.exit(1) };`
  return {
    ...fakeProgram(t, name, `${head}\n${code}`),
    vault: read,
    change: fields => writeFileSync(file, JSON.stringify({ ...read(), ...fields })),
  }
}

const bitwardenCode = `
if (vault.hangs) setInterval(() => {}, 1000);
const unlocked = process.env.BW_SESSION === vault.session;
const input = () => JSON.parse(Buffer.from(fs.readFileSync(0, 'utf8'), 'base64').toString());
const open = () => { if (!vault.loggedIn) fail('You are not logged in.'); if (!unlocked) fail('Vault is locked.') };
const find = id => vault.items.find(item => item.id === id) ?? fail('Not found.');
const [verb, noun, id] = args;
if (vault.hangs) {}
else if (verb === 'status')
  say({ serverUrl: null, lastSync: null, ...(vault.loggedIn && { userEmail: 'ada@example.org', userId: '1' }),
    status: !vault.loggedIn ? 'unauthenticated' : unlocked ? 'unlocked' : 'locked' });
else {
  open();
  if (verb === 'list' && noun === 'folders') say([...vault.folders.map(f => ({ object: 'folder', ...f })), { object: 'folder', id: null, name: 'No Folder' }]);
  else if (verb === 'list' && noun === 'items') {
    const folder = args.indexOf('--folderid');
    say(vault.items.filter(item => folder < 0 || item.folderId === args[folder + 1]).map(item => ({ object: 'item', ...item })));
  } else if (verb === 'get' && noun === 'item') say(find(id));
  else if (verb === 'create' && noun === 'item') {
    const item = { ...input(), id: 'item-' + (vault.items.length + 1) };
    if (vault.mangles) item.login.password = item.login.password.toUpperCase();
    vault.items.push(item); save(); say(item);
  } else if (verb === 'edit' && noun === 'item') {
    find(id); const item = { ...input(), id };
    vault.items = vault.items.map(old => (old.id === id ? item : old)); save(); say(item);
  } else if (verb === 'delete' && noun === 'item') {
    find(id); vault.items = vault.items.filter(item => item.id !== id); save();
  } else fail('error: unknown command ' + args.join(' '));
}`

const onePasswordCode = `
const error = words => fail('[ERROR] 2026/11/22 10:00:00 ' + words + '\\n');
const after = word => args[args.indexOf(word) + 1];
if (process.env.OP_SERVICE_ACCOUNT_TOKEN !== vault.token)
  error('failed to authenticate with ' + process.env.OP_SERVICE_ACCOUNT_TOKEN + ': (401) Unauthorized');
const inVault = name => vault.vaults.find(v => v.id === name || v.name === name) ?? error('"' + name + '" isn\\'t a vault in this account.');
const inItem = (v, name) => v.items.find(i => i.id === name || i.title === name) ?? error('"' + name + '" isn\\'t an item in the vault.');
const [noun, verb, id] = args;
if (noun === 'read') {
  const [v, item, label] = args.at(-1).slice('op://'.length).split('/');
  const field = inItem(inVault(v), item).fields.find(f => f.id === label || f.label === label) ?? error('could not find field ' + label);
  say(field.value);
} else if (after('--format') !== 'json') error('this fake speaks JSON only');
else if (noun === 'vault' && verb === 'list') say(vault.vaults.map(v => ({ id: v.id, name: v.name, content_version: 1 })));
else if (noun === 'item' && verb === 'list') say(inVault(after('--vault')).items.map(i => ({ id: i.id, title: i.title, category: 'LOGIN' })));
else if (noun === 'item' && verb === 'get') {
  const item = inItem(inVault(after('--vault')), id);
  const shown = f => args.includes('--reveal') || f.type !== 'CONCEALED' ? f : { ...f, value: "[use 'op item get " + item.id + " --reveal' to reveal]" };
  say({ ...item, fields: item.fields.map(shown) });
} else error('unknown command ' + args.join(' '));`
