/** What is built is what is written: the bundle of `dist/` against the sources. */
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

test('the build keeps what V8 compiled, in a form that this Node.js takes', () => {
  const script = new Script(readFileSync(join(dist, 'code.cjs'), 'latin1'), {
    filename: join(dist, 'code.cjs'),
    cachedData: readFileSync(join(dist, 'code.cache')),
  })
  expect(script.cachedDataRejected).toBe(false)
})

test('descriptors that the build has put together describe the API as the sources do', async () => {
  await using built = await load('index.js').testNode()
  await using written = await testNode()
  for (const path of ['/openapi.json', '/sdk/bank/v1beta1/supply', '/chain/oracle/v1beta1/params']) {
    expect(await built.query(path)).toEqual(await written.query(path))
  }
})

test('the trees of a bundled chain hash as those of the sources do', async () => {
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
