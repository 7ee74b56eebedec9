import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkStore } from './doctor/home.ts'
import { homePaths } from './home-paths.ts'
import { startNode } from './start.ts'

async function homeWithBlocks(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lost-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const node = await startNode({ home, ports: false, blocks: { time: 'manual' } })
  await node.nextBlock()
  await node.stop()
  return home
}

const open = (home: string) => startNode({ home, ports: false, blocks: { time: 'manual' } })

test.each([
  ['deleted', (data: string) => rmSync(data, { recursive: true })],
  ['empty', (data: string) => truncateSync(join(data, 'data.mdb'), 0)],
])('a chain whose database is %s does not begin again', async (_, lose) => {
  const home = await homeWithBlocks()
  const { data, record } = homePaths(home)
  expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ has_blocks: true })
  lose(data)
  await expect(open(home)).rejects.toThrow(
    new RegExp(
      `^the chain in ${home} has blocks that ${data} does not contain: mount the disk with its data, or restore a backup`,
    ),
  )
  // A database without a block would pass for one.
  expect(existsSync(join(data, 'data.mdb')) && statSync(join(data, 'data.mdb')).size).toBeFalsy()
})

test.each([0.0005, 0.01, 0.1, 0.6])(
  'a database of which only the part %f is left is refused with the remedy, and does not end the process',
  async (part) => {
    const home = await homeWithBlocks()
    const file = join(homePaths(home).data, 'data.mdb')
    truncateSync(file, Math.floor(statSync(file).size * part))
    await expect(open(home)).rejects.toThrow(/^the database is damaged: .*almanac restore/)
  },
)

test('the check of a home fails if its blocks are gone, unless an engine gives them again', async () => {
  const home = await homeWithBlocks()
  rmSync(homePaths(home).data, { recursive: true })
  const check = (refills: boolean) => checkStore(homePaths(home), { isDeep: false, refills }, Date.now())
  expect(await check(false)).toMatchObject([
    {
      state: 'fail',
      found: expect.stringContaining('has blocks'),
      fix: expect.stringContaining('almanac restore DIR --home NEW'),
    },
  ])
  expect(await check(true)).toMatchObject([{ state: 'warn', found: expect.stringContaining('has blocks') }])
})
