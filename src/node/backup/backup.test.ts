import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { homePaths } from '../home-paths.ts'
import { startNode } from '../start.ts'
import { makeBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-backup-'))
let home: string
let folder: string
let copy: string
let count = 0
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
beforeEach(async () => {
  const own = join(scratch, String(++count))
  for (const name of ['home', 'kept']) mkdirSync(join(own, name), { recursive: true })
  ;[home, folder, copy] = [join(own, 'home'), join(own, 'backups'), join(own, 'copy')]
  const node = await startNode({ home, ports: false, chain: { id: 'kept-1', accounts: 1 } })
  await node.stop()
})

const backUp = (includeKeys = true) =>
  makeBackup({
    paths: homePaths(home),
    folder,
    chainId: 'kept-1',
    underEngine: false,
    includeKeys,
    verify: false,
    keep: 2,
    now: 1_700_000_000_000,
  })
const restore = () => restoreBackup({ folder, home: copy, height: undefined })

/** Moves a part of the home to another folder, and leaves a link. */
function moveAway(name: string): string {
  const place = join(home, '..', 'kept', name)
  renameSync(join(home, name), place)
  symlinkSync(place, join(home, name))
  return place
}

/** Changes the list of the backup, and computes its digest again. */
function tamper(change: (manifest: { chain_id: string; files: Record<string, unknown>[] }) => void): void {
  const path = join(folder, 'backups', readdirSync(join(folder, 'backups'))[0]!)
  const { format, manifest } = JSON.parse(readFileSync(path, 'utf8'))
  change(manifest)
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  writeFileSync(path, JSON.stringify({ format, sha256, manifest }))
}

test('a backup has what the links of a home lead to, and a link to nothing or around itself is named', async () => {
  const key = readFileSync(join(home, 'priv_validator_key.json'), 'utf8')
  moveAway('priv_validator_key.json')
  mkdirSync(join(home, 'keyring-test'))
  writeFileSync(join(home, 'keyring-test/alice.info'), 'a key')
  moveAway('keyring-test')
  await backUp()
  await restore()
  expect(readFileSync(join(copy, 'priv_validator_key.json'), 'utf8')).toBe(key)
  expect(readFileSync(join(copy, 'keyring-test/alice.info'), 'utf8')).toBe('a key')
  symlinkSync(join(home, 'nowhere'), join(home, 'gone'))
  await expect(backUp()).rejects.toThrow(`${join(home, 'gone')} is a link to nothing`)
  rmSync(join(home, 'gone'))
  symlinkSync(home, join(home, 'round'))
  await expect(backUp()).rejects.toThrow(`${join(home, 'round')} is a link to a folder around it`)
})

test('a backup without keys has no copies of them either', async () => {
  for (const name of ['mnemonic.bak', 'priv_validator_key.json.old', 'config/node_key.json', 'keyring-file/a.info']) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), 'a secret')
  }
  const { manifest } = await backUp(false)
  expect(manifest.files.map(({ path }) => path)).toEqual(['data/data.mdb', 'config.toml', 'genesis.json', 'home.json'])
})

test('a forged list gives no file other rights, and no chain another name', async () => {
  await backUp()
  tamper(({ files }) => {
    for (const file of files) file['mode'] = 0o4777
  })
  await restore()
  const modes = ['priv_validator_key.json', 'config.toml'].map((name) => statSync(join(copy, name)).mode & 0o7777)
  expect(modes[0]).toBe(0o600)
  expect(modes[1]! & ~0o755).toBe(0)
  rmSync(copy, { recursive: true })
  tamper((manifest) => {
    manifest.chain_id = 'other-1'
  })
  await expect(restore()).rejects.toThrow('its list is of chain other-1, and its genesis.json is not')
  expect(existsSync(copy)).toBe(false)
})

test.each<[string, (file: Record<string, unknown>) => void]>([
  ['a chunk outside the folder', (file) => Object.assign(file, { chunks: ['../../../../etc/passwd'] })],
  ['a chunk that is no text', (file) => Object.assign(file, { chunks: [5] })],
  ['a path with a zero', (file) => Object.assign(file, { path: 'a\0b' })],
  ['a size that is no number', (file) => Object.assign(file, { size: '7' })],
])('a list with %s is damaged', async (_, change) => {
  await backUp()
  tamper(({ files }) => change(files[1]!))
  await expect(restore()).rejects.toThrow('is not as it was written')
})
