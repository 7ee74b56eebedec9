/** Headers in the JSON of the engine's RPC: parts that recordings do not have. */
import { expect, test } from 'vitest'
import { headerJson } from '../../comet/block-json.ts'
import { hashHeader } from '../../comet/hashes.ts'
import { headerOf } from './header-of-json.ts'

/** A header in which field n has bytes n. */
const numbered = (version: unknown) => {
  const bytes = (n: number, length = 32): string => n.toString(16).padStart(2, '0').repeat(length).toUpperCase()
  return {
    ...{ version, chain_id: 'test-1', height: '7', time: '2024-01-01T00:00:00Z' },
    last_block_id: { hash: bytes(1), parts: { total: 1, hash: bytes(2) } },
    ...{ last_commit_hash: bytes(3), data_hash: bytes(4), validators_hash: bytes(5), next_validators_hash: bytes(6) },
    ...{ consensus_hash: bytes(7), app_hash: bytes(8), last_results_hash: bytes(9), evidence_hash: bytes(10) },
    proposer_address: bytes(11, 20),
  }
}

test('the hash of a header covers the version of the application, and its JSON has it', () => {
  // From a program apart that follows the rules of the engine, and gives the hashes of blocks of public chains.
  for (const [app, hash] of [
    [undefined, '0633ED566C0402502537B86BF8F447B8691FBF67E8CC86F87D0F7DF99203CBAE'],
    ['0', '0633ED566C0402502537B86BF8F447B8691FBF67E8CC86F87D0F7DF99203CBAE'],
    ['2', 'E0C5ECE66A59803E00E81B79BA0A9C2533033DDC6BB002E7D28FC55872C154D5'],
    ['300', '7113B8DDBEC11770EA3EBFD7C914B776E94FB8BD4DF22C464F0FAC79B2473A8A'],
  ]) {
    const header = headerOf(numbered({ block: '11', ...(app !== undefined && { app }) }))
    expect(Buffer.from(hashHeader(header)).toString('hex').toUpperCase()).toBe(hash)
    expect(headerJson(header)['version']).toEqual({ block: '11', ...(Number(app ?? 0) > 0 && { app }) })
  }
})

test('a header of another form of blocks is named', () => {
  expect(() => headerOf(numbered({ block: '12' }))).toThrow(
    'header.version.block must be 11, the only form of blocks that this build follows, and is 12',
  )
})
