import { expect, test } from 'vitest'
import { concat, encodeUint64 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { prevRandaoOf } from './block-env.ts'

const COMMIT = new Uint8Array(32).fill(1)
const BLOCK = new Uint8Array(32).fill(2)

test('PREVRANDAO follows from the time and the last commit, and without its hash from the block', () => {
  const after = (hash: Uint8Array) => keccak256(concat(encodeUint64(9n), hash))
  expect(prevRandaoOf({ timeNs: 9n, lastCommitHash: COMMIT }, BLOCK)).toEqual(after(COMMIT))
  expect(prevRandaoOf({ timeNs: 9n, lastCommitHash: new Uint8Array() }, BLOCK)).toEqual(after(BLOCK))
})
