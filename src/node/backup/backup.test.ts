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
import { openBackend } from '../backend.ts'
import { diskFiles } from '../files.ts'
import { homePaths } from '../home-paths.ts'
import { rollbackHome } from '../rollback.ts'
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
  await makeBlocks(2)
})

async function makeBlocks(blocks: number): Promise<void> {
  await using node = await startNode({
    home,
    ports: false,
    chain: { id: 'kept-1', accounts: 1 },
    blocks: { time: 'manual' },
  })
  while (blocks-- > 0) await node.nextBlock()
}

const backUp = (includeKeys = true, now = 1_700_000_000_000) =>
  makeBackup({
    paths: homePaths(home),
    folder,
    chainId: 'kept-1',
    underEngine: false,
    includeKeys,
    verify: false,
    keep: 2,
    now,
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

test('a backup of a home that has lost its database is refused as its start is, and no earlier one is deleted', async () => {
  await backUp()
  const lists = readdirSync(join(folder, 'backups'))
  const { data, root } = homePaths(home)
  const reason = `the chain in ${root} has blocks that ${data} does not contain: mount the disk with its data`
  rmSync(data, { recursive: true })
  await expect(backUp(true, 1_800_000_000_000)).rejects.toThrow(reason)
  // A database without a block, as earlier builds left one after such a start.
  await (await openBackend({ path: data })).close()
  await expect(backUp(true, 1_800_000_000_000)).rejects.toThrow(reason)
  expect(readdirSync(join(folder, 'backups'))).toEqual(lists)
})

test('a home without a block has no backup', async () => {
  const { data, record } = homePaths(home)
  const { has_blocks: _, ...before } = JSON.parse(readFileSync(record, 'utf8'))
  writeFileSync(record, JSON.stringify(before))
  rmSync(data, { recursive: true })
  await (await openBackend({ path: data })).close()
  await expect(backUp()).rejects.toThrow(`the chain in ${home} has no block yet`)
})

test('backups of later heights stay until the chain has passed them', async () => {
  let now = 1_700_000_000_000
  const heights = () =>
    readdirSync(join(folder, 'backups'))
      .map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b)
  const next = () => {
    now += 1000
    return backUp(true, now)
  }
  const { height } = (await next()).manifest
  await makeBlocks(2)
  await next()
  await rollbackHome(homePaths(home), diskFiles, BigInt(height - 1), 0)
  const { later, removed } = await next()
  expect(later.map(({ manifest }) => manifest.height)).toEqual([height, height + 2])
  expect(removed).toBe(0)
  expect(heights()).toEqual([height - 1, height, height + 2])
  expect(await restore()).toMatchObject({ manifest: { height: height - 1 }, later: [height, height + 2] })
  await makeBlocks(4)
  expect(await next()).toMatchObject({ later: [], removed: 2 })
  expect(heights()).toEqual([height - 1, height + 3])
})
