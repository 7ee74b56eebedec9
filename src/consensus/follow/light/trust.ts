/**
 * Trust from a block that the operator names to the block that a replica begins with, as light clients establish it: backwards
 * by the hashes of headers, forwards by signatures.
 */
import type { BlockHeader, Commit, Validator } from '../../../app/records.ts'
import { equal, formatHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { formatRfc3339Nano } from '../../../primitives/time.ts'
import { hashHeader } from '../../comet/hashes.ts'
import { difference, isSetOf, requireSigned, signedPower } from '../verify.ts'

export interface SignedHeader {
  readonly header: BlockHeader
  /** Absent if the node does not have it. */
  readonly commit: Commit | undefined
}

export interface HeaderSource {
  /** Resolves with the headers of heights, in their order. */
  headers(heights: readonly bigint[], signal: AbortSignal): Promise<readonly SignedHeader[]>
  validators(height: bigint, signal: AbortSignal): Promise<readonly Validator[]>
}

/** A block that the operator knows to be of the chain. */
export interface TrustedBlock {
  readonly height: bigint
  readonly hash: Uint8Array
  /** Time from which on validators vouch for later blocks: those of an older block may have unbonded. Unit: Unix nanoseconds. */
  readonly vouchesFromNs: bigint
}

/** Headers that are asked for at once. */
const BATCH = 10n
/** Maximum number of headers that are read backwards. */
const MOST_BACK = 200_000n

const text = (hash: Uint8Array): string => formatHex(hash).toUpperCase()

/**
 * Resolves with the header of a height, which the trusted block vouches for. Rejects with `dataLoss` for a node whose blocks it
 * does not vouch for, `invalidArgument` if it is too far above, or below and too old.
 */
export async function trustedHeader(
  source: HeaderSource,
  chainId: string,
  trusted: TrustedBlock,
  height: bigint,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const [anchor] = await source.headers([trusted.height], signal)
  const found = hashHeader(anchor!.header)
  if (!equal(found, trusted.hash)) {
    const remedy = `the node is of another chain, or --trust-hash is not of block ${trusted.height}`
    throw difference(
      trusted.height,
      `its hash is ${text(found)}, and the trusted one is ${text(trusted.hash)}: ${remedy}`,
    )
  }
  if (height <= trusted.height) return await walkBack(source, anchor!.header, height, signal)
  requireYoung(anchor!.header, trusted.vouchesFromNs, height)
  return await walkForward(source, chainId, anchor!.header, height, signal)
}

function requireYoung({ height, timeNs }: BlockHeader, fromNs: bigint, begin: bigint): void {
  if (timeNs >= fromNs) return
  throw queryError(
    'invalidArgument',
    `follow.trust_height (--trust-height) is ${height}, a block of ${formatRfc3339Nano(timeNs)}, whose validators may have unbonded since: name a block from ${formatRfc3339Nano(fromNs)} on, or one at or above the begin at ${begin}, or a longer follow.trust_period (--trust-period)`,
  )
}

/** Each header has the hash of the one before. */
async function walkBack(
  source: HeaderSource,
  from: BlockHeader,
  to: bigint,
  signal: AbortSignal,
): Promise<BlockHeader> {
  if (from.height - to > MOST_BACK) {
    throw queryError(
      'invalidArgument',
      `follow.trust_height (--trust-height) is ${from.height}, which is ${from.height - to} blocks above the begin at ${to}: name a block at or below it, or at most ${MOST_BACK} above`,
    )
  }
  let above = from
  while (above.height > to) {
    const heights: bigint[] = []
    for (let height = above.height - 1n; height >= to && BigInt(heights.length) < BATCH; height--) heights.push(height)
    for (const { header } of await source.headers(heights, signal)) {
      if (!equal(hashHeader(header), above.lastBlockId.hash))
        throw difference(header.height, `it is not the block before ${above.height}, which is trusted`)
      above = header
    }
  }
  return above
}

/**
 * More than a third of the power that is trusted for the next block must have signed a later block; otherwise one between is
 * tried. The set of the later block itself must have signed it, as for every block.
 */
async function walkForward(
  source: HeaderSource,
  chainId: string,
  from: BlockHeader,
  to: bigint,
  signal: AbortSignal,
): Promise<BlockHeader> {
  let trusted = from
  while (trusted.height < to) {
    const set = await source.validators(trusted.height + 1n, signal)
    if (!isSetOf(trusted.nextValidatorsHash, set))
      throw difference(
        trusted.height + 1n,
        `the validators that the node names are not those of block ${trusted.height}`,
      )
    let wanted = to
    for (;;) {
      const header = await vouchedBy(source, chainId, trusted, set, wanted, signal)
      if (header) {
        trusted = header
        break
      }
      wanted = trusted.height + (wanted - trusted.height) / 2n
    }
  }
  return trusted
}

/** Resolves with the header of a height; undefined if too few of the trusted validators have signed it. */
async function vouchedBy(
  source: HeaderSource,
  chainId: string,
  trusted: BlockHeader,
  set: readonly Validator[],
  height: bigint,
  signal: AbortSignal,
): Promise<BlockHeader | undefined> {
  const [{ header, commit }] = (await source.headers([height], signal)) as [SignedHeader]
  const isNext = height === trusted.height + 1n
  if (isNext && !equal(header.validatorsHash, trusted.nextValidatorsHash))
    throw difference(height, `its validators are not those that block ${trusted.height} names for it`)
  const total = set.reduce((sum, { power }) => sum + power, 0n)
  if (!isNext && (!commit || signedPower(chainId, commit, set, total / 3n) * 3n <= total)) return undefined
  const own = isNext ? set : await source.validators(height, signal)
  if (!isSetOf(header.validatorsHash, own))
    throw difference(height, 'the validators that the node names are not those of its header')
  requireSigned(chainId, { header, blockId: { ...trusted.lastBlockId, hash: hashHeader(header) }, commit }, own)
  return header
}
