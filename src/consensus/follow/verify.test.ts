import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { BlockHeader, BlockId, Commit, Validator } from '../../app/records.ts'
import { ofEd25519 } from '../../primitives/address.ts'
import { hex } from '../../primitives/bytes.ts'
import { encodePrecommitSignBytes } from '../comet/encoding.ts'
import { requireLink, requireOutcome, requireSigned } from './verify.ts'

const bytes = (value: number): Uint8Array => new Uint8Array(32).fill(value)
const blockId: BlockId = { hash: bytes(5), partsTotal: 1, partsHash: bytes(6) }

interface Signer {
  readonly validator: Validator
  readonly key: KeyObject
}

function signer(power: bigint): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
  return { validator: { address: ofEd25519(raw), publicKey: raw, power }, key: privateKey }
}

/** Returns the commit of block 7, with the signatures of some validators; the others are absent. */
function commitOf(signers: readonly Signer[], chainId = 'test-1'): Commit {
  const vote = { chainId, height: 7n, round: 1, blockId, timeNs: 1_700_000_000_000_000_000n }
  return {
    height: 7n,
    round: 1,
    blockId,
    signatures: signers.map(({ validator: { address }, key }) => ({
      flag: 2,
      validator: address,
      timeNs: vote.timeNs,
      signature: new Uint8Array(sign(null, encodePrecommitSignBytes(vote), key)),
    })),
  }
}

const require = (signers: readonly Signer[], commit: Commit | undefined) =>
  requireSigned(
    'test-1',
    { header: { height: 7n } as BlockHeader, blockId, commit },
    signers.map(({ validator }) => validator),
  )

test('more than two thirds of the power must have signed, and no less', () => {
  const set = [signer(34n), signer(33n), signer(33n)]
  expect(() => require(set, commitOf(set.slice(0, 2)))).not.toThrow()
  // 66 of 99 are exactly two thirds.
  const even = [signer(33n), signer(33n), signer(33n)]
  expect(() => require(even, commitOf(even.slice(0, 2)))).toThrow('validators with 66 of 99 power have signed it')
})

test('a signature counts once, for its own block and chain, by a validator of the set', () => {
  const [one, two, three] = [signer(10n), signer(10n), signer(10n)]
  const set = [one!, two!, three!]
  const twice = commitOf([one!, one!, one!])
  expect(() => require(set, twice)).toThrow('validators with 10 of 30 power')
  expect(() => require(set, commitOf(set, 'other-1'))).toThrow('validators with 0 of 30 power')
  expect(() => require(set, commitOf([signer(10n), signer(10n), signer(10n)]))).toThrow('validators with 0 of 30 power')
  expect(() => require(set, { ...commitOf(set), blockId: { ...blockId, hash: bytes(9) } })).toThrow(
    'is for another block',
  )
  expect(() => require(set, undefined)).toThrow('no commit for block 7 yet')
})

const before = {
  height: 6n,
  hash: bytes(1),
  appHash: bytes(2),
  resultsHash: bytes(3),
  nextValidatorsHash: bytes(4),
}
const header = {
  height: 7n,
  lastBlockId: { ...blockId, hash: bytes(1) },
  appHash: bytes(2),
  lastResultsHash: bytes(3),
  validatorsHash: bytes(4),
} as BlockHeader

test('a block links to the one before by its hash and validators', () => {
  const link = (change: Partial<BlockHeader>) => () =>
    requireLink({ header: { ...header, ...change } } as never, before)
  expect(link({})).not.toThrow()
  expect(link({ lastBlockId: blockId })).toThrow('it follows block 0505')
  expect(link({ validatorsHash: bytes(9) })).toThrow('its validators are not those that block 6 names for it')
})

test('a header states the outcome of the block before', () => {
  const outcome = (change: Partial<BlockHeader>) => () =>
    requireOutcome({ header: { ...header, ...change } } as never, before)
  expect(outcome({})).not.toThrow()
  expect(outcome({ appHash: bytes(9) })).toThrow(/^block 6 of the node is not verified: the app hash after it is 0909/)
  expect(outcome({ lastResultsHash: bytes(9) })).toThrow('block 6 of the node is not verified: its results')
})

test('after a restore, results and validators of the block before are not known', () => {
  const none = hex('')
  const restored = { ...before, resultsHash: none, nextValidatorsHash: none }
  const block = { header: { ...header, lastResultsHash: bytes(9), validatorsHash: bytes(9) } } as never
  expect(() => requireLink(block, restored)).not.toThrow()
  expect(() => requireOutcome(block, restored)).not.toThrow()
})
