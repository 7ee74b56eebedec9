import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { BlockHeader, Commit, Validator } from '../../../app/records.ts'
import { ofEd25519 } from '../../../primitives/address.ts'
import { equal, formatHex } from '../../../primitives/bytes.ts'
import { encodePrecommitSignBytes } from '../../comet/encoding.ts'
import { hashHeader, hashValidators, NO_BLOCK_ID, sortValidators } from '../../comet/hashes.ts'
import { type HeaderSource, type SignedHeader, trustedHeader } from './trust.ts'

const CHAIN = 'test-1'
const LAST = 40
const { signal } = new AbortController()
const keys = new Map<string, KeyObject>()
const bytes = (value: number): Uint8Array => new Uint8Array(32).fill(value)

function validator(): Validator {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
  const address = ofEd25519(raw)
  keys.set(formatHex(address), privateKey)
  return { address, publicKey: raw, power: 10n }
}

const pool = Array.from({ length: 20 }, validator)
/** Four validators sign; one of them is replaced every four heights, so that none of the first is left from height 16 on. */
const setAt = (height: number): Validator[] =>
  sortValidators(Array.from({ length: 4 }, (_, i) => pool[Math.floor((height + 4 * i) / 4)]!)) as Validator[]

function commitOf(header: BlockHeader, set: readonly Validator[]): Commit {
  const { height } = header
  const blockId = { ...NO_BLOCK_ID, hash: hashHeader(header) }
  const vote = { chainId: CHAIN, height, round: 0, blockId, timeNs: 1_700_000_000_000_000_000n }
  return {
    height,
    round: 0,
    blockId,
    signatures: set.map(({ address }) => ({
      flag: 2 as const,
      validator: address,
      timeNs: vote.timeNs,
      signature: new Uint8Array(sign(null, encodePrecommitSignBytes(vote), keys.get(formatHex(address))!)),
    })),
  }
}

let chain: Map<bigint, SignedHeader>

/** Makes a chain; another `mark` makes another chain with the same validators. */
function chainOf(mark = 1, signers: (height: number) => Validator[] = setAt): Map<bigint, SignedHeader> {
  const made = new Map<bigint, SignedHeader>()
  let before = NO_BLOCK_ID
  for (let height = 1; height <= LAST; height++) {
    const header: BlockHeader = {
      chainId: CHAIN,
      height: BigInt(height),
      timeNs: 1_700_000_000_000_000_000n + BigInt(height),
      lastBlockId: before,
      lastCommitHash: bytes(0),
      dataHash: bytes(0),
      validatorsHash: hashValidators(setAt(height)),
      nextValidatorsHash: hashValidators(setAt(height + 1)),
      consensusHash: bytes(0),
      appHash: bytes(mark),
      lastResultsHash: bytes(0),
      evidenceHash: bytes(0),
      proposer: setAt(height)[0]!.address,
    }
    made.set(header.height, { header, commit: commitOf(header, signers(height)) })
    before = { ...NO_BLOCK_ID, hash: hashHeader(header) }
  }
  return made
}

beforeAll(() => {
  chain = chainOf()
})

function sourceOf(headers: ReadonlyMap<bigint, SignedHeader>, asked: bigint[] = []): HeaderSource {
  return {
    async headers(heights) {
      asked.push(...heights)
      return heights.map((height) => headers.get(height)!)
    },
    validators: async (height) => setAt(Number(height)),
  }
}

const hashAt = (height: bigint): Uint8Array => hashHeader(chain.get(height)!.header)
const trusted = (height: bigint) => ({ height, hash: hashAt(height), vouchesFromNs: 0n })

test('a block below the trusted one is reached by hashes, in batches', async () => {
  const asked: bigint[] = []
  const found = await trustedHeader(sourceOf(chain, asked), CHAIN, trusted(30n), 3n, signal)
  expect(equal(hashHeader(found), hashAt(3n))).toBe(true)
  expect(asked).toEqual([30n, ...Array.from({ length: 27 }, (_, i) => 29n - BigInt(i))])
})

test('a block above is reached by signatures, with few headers even where all validators have changed', async () => {
  const asked: bigint[] = []
  const found = await trustedHeader(sourceOf(chain, asked), CHAIN, trusted(2n), 38n, signal)
  expect(equal(hashHeader(found), hashAt(38n))).toBe(true)
  expect(asked.length).toBeLessThan(20)
  expect(asked.length).toBeGreaterThan(3)
})

test('the trusted block itself must be the one of the node', async () => {
  await expect(trustedHeader(sourceOf(chainOf(2)), CHAIN, trusted(10n), 10n, signal)).rejects.toThrow(
    /^block 10 of the node is not verified: its hash is [0-9A-F]{64}, and the trusted one is [0-9A-F]{64}: the node is of another chain, or --trust-hash is not of block 10/,
  )
})

test('another block below the trusted one is refused by its height', async () => {
  const mixed = new Map([...chain, [7n, chainOf(2).get(7n)!]])
  await expect(trustedHeader(sourceOf(mixed), CHAIN, trusted(12n), 3n, signal)).rejects.toThrow(
    'block 7 of the node is not verified: it is not the block before 8, which is trusted',
  )
})

test('a later block that strangers have signed is refused', async () => {
  const strangers = Array.from({ length: 4 }, validator)
  const forged = chainOf(3, () => strangers)
  const mixed = new Map([...forged, [5n, chain.get(5n)!]])
  await expect(trustedHeader(sourceOf(mixed), CHAIN, trusted(5n), 9n, signal)).rejects.toThrow(
    'block 6 of the node is not verified: validators with 0 of 40 power have signed it',
  )
})

test('validators that the node makes up are refused', async () => {
  const made = [validator()]
  const lying = { ...sourceOf(chain), validators: async () => made }
  await expect(trustedHeader(lying, CHAIN, trusted(5n), 9n, signal)).rejects.toThrow(
    'block 6 of the node is not verified: the validators that the node names are not those of block 5',
  )
})

test('a trusted block that is far above is refused with the way out', async () => {
  const far = { ...chain.get(40n)!.header, height: 900_000n }
  const source = { ...sourceOf(chain), headers: async () => [{ header: far, commit: undefined }] }
  const trust = { height: 900_000n, hash: hashHeader(far), vouchesFromNs: 0n }
  await expect(trustedHeader(source, CHAIN, trust, 1n, signal)).rejects.toThrow(
    'is 900000, which is 899999 blocks above the begin at 1: name a block at or below it',
  )
})

test('validators of a block that is older than the trusting period vouch for none above, and its hash for those below', async () => {
  const old = { ...trusted(30n), vouchesFromNs: 1_700_000_000_000_000_031n }
  expect(equal(hashHeader(await trustedHeader(sourceOf(chain), CHAIN, old, 3n, signal)), hashAt(3n))).toBe(true)
  await expect(trustedHeader(sourceOf(chain), CHAIN, old, 31n, signal)).rejects.toThrow(
    '(--trust-height) is 30, a block of 2023-11-14T22:13:20.00000003Z, whose validators may have unbonded since: name a block from 2023-11-14T22:13:20.000000031Z on, or one at or above the begin at 31,',
  )
  const young = { ...old, vouchesFromNs: 1_700_000_000_000_000_030n }
  expect(equal(hashHeader(await trustedHeader(sourceOf(chain), CHAIN, young, 31n, signal)), hashAt(31n))).toBe(true)
})
