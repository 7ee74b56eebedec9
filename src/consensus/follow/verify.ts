/** Whether a block of another node follows the chain that this node has: links, hashes and signatures (docs/cometbft.md#hashes). */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { BlockId, Commit, TxResult, Validator } from '../../app/records.ts'
import { equal, formatHex } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { encodePrecommitSignBytes } from '../comet/encoding.ts'
import { hashEvidence } from '../comet/evidence.ts'
import { hashCommit, hashData, hashHeader, hashResults, hashValidators } from '../comet/hashes.ts'
import type { NodeBlock } from './node-block.ts'

/** The block before, and the state after it. */
export interface Before {
  readonly height: bigint
  readonly hash: Uint8Array
  readonly appHash: Uint8Array
  /** Empty if the results of the block are not known, as after a restore. */
  readonly resultsHash: Uint8Array
  /** Hash of the set that must sign the block; empty if it is not known. */
  readonly nextValidatorsHash: Uint8Array
}

const FOR_BLOCK = 2

const shorten = (hash: Uint8Array): string => formatHex(hash).toUpperCase()

/** Returns the error of a block that must not be taken over. */
export const difference = (height: bigint, what: string): ChainError =>
  queryError('dataLoss', `block ${height} of the node is not verified: ${what}`)

/**
 * Throws `dataLoss` unless a block is whole: its hash is that of its header, which covers its transactions, its evidence and the
 * commit of the block before.
 */
export function requireWhole({ header, blockId, txs, lastCommit, commit, evidence }: NodeBlock, chainId: string): void {
  const { height } = header
  if (header.chainId !== chainId)
    throw difference(height, `it is of chain ${header.chainId}, and this one is ${chainId}`)
  if (!equal(hashHeader(header), blockId.hash)) throw difference(height, 'its header does not have its hash')
  if (!equal(hashData(txs), header.dataHash)) throw difference(height, 'its transactions do not have their hash')
  if (!equal(hashCommit(lastCommit), header.lastCommitHash))
    throw difference(height, 'its signatures of the block before do not have their hash')
  if (!equal(hashEvidence(evidence), header.evidenceHash))
    throw difference(height, 'its evidence does not have its hash')
  if (commit && !isSameParts(commit.blockId, blockId))
    throw difference(height, 'its parts are not those that were signed')
}

const isSameParts = (one: BlockId, other: BlockId): boolean =>
  one.partsTotal === other.partsTotal && equal(one.partsHash, other.partsHash)

/** Throws `dataLoss` unless a block follows the one before it, which names its validators. */
export function requireLink(
  { header }: NodeBlock,
  before: Pick<Before, 'height' | 'hash' | 'nextValidatorsHash'>,
): void {
  const { height, lastBlockId, validatorsHash } = header
  if (!equal(lastBlockId.hash, before.hash))
    throw difference(
      height,
      `it follows block ${shorten(lastBlockId.hash)}, and block ${before.height} here is ${shorten(before.hash)}`,
    )
  if (before.nextValidatorsHash.length > 0 && !equal(validatorsHash, before.nextValidatorsHash))
    throw difference(height, `its validators are not those that block ${before.height} names for it`)
}

/** Throws `dataLoss`, about the block before, unless a header states its outcome as it is here: its app hash and its results. */
export function requireOutcome(
  { header }: Pick<NodeBlock, 'header'>,
  { height, appHash, resultsHash }: Pick<Before, 'height' | 'appHash' | 'resultsHash'>,
): void {
  if (!equal(header.appHash, appHash))
    throw difference(
      height,
      `the app hash after it is ${shorten(header.appHash)} in the next header, and the state here gives ${shorten(appHash)}`,
    )
  if (resultsHash.length > 0) requireResultsHash(height, resultsHash, header.lastResultsHash)
}

/** Throws `dataLoss` unless results have the hash that the next header states. */
export const requireResults = (height: bigint, results: readonly TxResult[], stated: Uint8Array): void =>
  requireResultsHash(height, hashResults(results), stated)

function requireResultsHash(height: bigint, found: Uint8Array, stated: Uint8Array): void {
  if (!equal(found, stated)) throw difference(height, 'its results do not have the hash in the next header')
}

/** Whether a set is the one that a header states. */
export const isSetOf = (validatorsHash: Uint8Array, set: readonly Validator[]): boolean =>
  equal(hashValidators(set), validatorsHash)

/**
 * Throws `dataLoss` unless validators with more than two thirds of the power have signed a block, `unavailable` without a commit. Stops at the signature that
 * makes it so, as light clients do.
 */
export function requireSigned(
  chainId: string,
  { header: { height }, blockId, commit }: Pick<NodeBlock, 'header' | 'blockId' | 'commit'>,
  set: readonly Validator[],
): void {
  if (!commit) throw queryError('unavailable', `the node has no commit for block ${height} yet`)
  if (commit.height !== height || !equal(commit.blockId.hash, blockId.hash))
    throw difference(height, 'its commit is for another block')
  const total = set.reduce((sum, { power }) => sum + power, 0n)
  const signed = signedPower(chainId, commit, set, (total * 2n) / 3n)
  if (signed * 3n <= total * 2n)
    throw difference(
      height,
      `validators with ${signed} of ${total} power have signed it, and more than two thirds must`,
    )
}

/** Returns the power that has signed a commit, counted until it exceeds `enough`. A wrong signature counts nothing. */
export function signedPower(chainId: string, commit: Commit, set: readonly Validator[], enough: bigint): bigint {
  const byAddress = new Map(set.map((validator) => [formatHex(validator.address), validator]))
  let signed = 0n
  for (const { flag, validator: address, timeNs, signature } of commit.signatures) {
    if (signed > enough) break
    const name = formatHex(address)
    const validator = flag === FOR_BLOCK ? byAddress.get(name) : undefined
    if (!validator) continue
    // A validator counts once.
    byAddress.delete(name)
    const { height, round, blockId } = commit
    if (isSignature({ chainId, height, round, blockId, timeNs }, signature, validator)) signed += validator.power
  }
  return signed
}

/** Keys of the validators, by key. Making one takes as long as a verification. */
const keys = new Map<string, KeyObject>()
/** Keys that are kept, more than validators of a chain. */
const MOST_KEYS = 1000

function keyOf(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url')
  const known = keys.get(x)
  if (known) return known
  if (keys.size >= MOST_KEYS) keys.clear()
  const made = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  keys.set(x, made)
  return made
}

function isSignature(
  vote: { chainId: string; height: bigint; round: number; blockId: BlockId; timeNs: bigint },
  signature: Uint8Array,
  { publicKey }: Validator,
): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  // The library of transactions takes ten times as long, and each block has many signatures.
  return verify(null, encodePrecommitSignBytes(vote), keyOf(publicKey), signature)
}
