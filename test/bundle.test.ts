/** The bundle in `dist/` against the sources. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { testNode } from '../src/index.ts'

const dist = join(import.meta.dirname, '..', 'dist')
const { load } = createRequire(import.meta.url)(join(dist, 'load.cjs')) as {
  load(entry: string): { testNode: typeof testNode }
}

test('the build saves compiled code that this version of Node.js accepts', () => {
  const script = new Script(readFileSync(join(dist, 'code.cjs'), 'latin1'), {
    filename: 'almanac/dist/code.cjs',
    cachedData: readFileSync(join(dist, 'code.cache')),
  })
  expect(script.cachedDataRejected).toBe(false)
})

test('a version of Node.js that is too old is named, by the command and by the library', () => {
  const runWith = (version: string, ...args: readonly string[]) => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, ...args], { encoding: 'utf8' })
    return [status, stderr]
  }
  const command = [join(dist, '../bin/almanac'), 'version']
  expect(runWith('18.20.8', ...command)).toEqual([1, 'almanac needs Node.js 20.19 or newer, but this is 18.20.8\n'])
  expect(runWith('20.18.3', ...command)[0]).toBe(1)
  for (const version of ['20.19.0', '22.0.0']) expect(runWith(version, ...command)).toEqual([0, ''])
  const [status, stderr] = runWith('20.18.3', join(dist, 'index.js'))
  expect([status, stderr]).toEqual([1, expect.stringContaining('Error: almanac needs Node.js 20.19 or newer')])
})

test('stack traces of a build do not contain the path where it was built', async () => {
  expect(readFileSync(join(dist, 'code.cache')).includes(join(dist, '..'))).toBe(false)
  await using built = await load('index.js').testNode()
  const error = (await built.query('/nothing').catch((thrown: unknown) => thrown)) as Error
  expect(error.stack).toContain('(almanac/dist/code.cjs:')
})

test('descriptors assembled by the build describe the same API as the sources', async () => {
  await using built = await load('index.js').testNode()
  await using written = await testNode()
  for (const path of ['/openapi.json', '/sdk/bank/v1beta1/supply', '/chain/oracle/v1beta1/params']) {
    expect(await built.query(path)).toEqual(await written.query(path))
  }
})

test('the trees of a bundled chain have the same hashes as those of the sources', async () => {
  const hashOf = async (start: typeof testNode) => {
    await using node = await start()
    await node.nextBlock()
    const { block } = (await node.query('/sdk/base/tendermint/v1beta1/blocks/latest')) as {
      block: { header: { app_hash: string } }
    }
    return block.header.app_hash
  }
  expect(await hashOf(load('index.js').testNode)).toBe(await hashOf(testNode))
})
