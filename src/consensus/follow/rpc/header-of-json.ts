/** Headers, commits and validators from the JSON of the CometBFT RPC (docs/cometbft.md#rpc). */
import type { BlockHeader, BlockId, Commit, CommitSignature, Validator } from '../../../app/records.ts'
import { parseRfc3339, ZERO_TIME_NS } from '../../../primitives/time.ts'
import { BLOCK_PROTOCOL } from '../../comet/encoding.ts'
import { bytesOfBase64, bytesOfHex, integerOf, listOf, objectOf, textOf, timeOf, wrong } from './json-fields.ts'

export function blockIdOf(value: unknown): BlockId {
  const { hash, parts } = objectOf(value, 'block_id')
  const { total = 0, hash: partsHash } = objectOf(parts ?? {}, 'block_id.parts')
  return {
    hash: bytesOfHex(hash, 'block_id.hash'),
    partsTotal: Number(total),
    partsHash: bytesOfHex(partsHash, 'block_id.parts.hash'),
  }
}

export function headerOf(value: unknown): BlockHeader {
  const header = objectOf(value, 'header')
  const bytes = (name: string): Uint8Array => bytesOfHex(header[name], `header.${name}`)
  const { block = 0, app = 0 } = objectOf(header['version'] ?? {}, 'header.version')
  if (integerOf(block, 'header.version.block') !== BLOCK_PROTOCOL)
    throw wrong(
      'header.version.block',
      `${BLOCK_PROTOCOL}, the only form of blocks that this build follows, and is ${block}`,
    )
  const appVersion = integerOf(app, 'header.version.app')
  return {
    ...(appVersion !== 0n && { appVersion }),
    chainId: textOf(header['chain_id']),
    height: integerOf(header['height'], 'header.height'),
    timeNs: timeOf(header['time'], 'header.time'),
    lastBlockId: blockIdOf(header['last_block_id'] ?? {}),
    lastCommitHash: bytes('last_commit_hash'),
    dataHash: bytes('data_hash'),
    validatorsHash: bytes('validators_hash'),
    nextValidatorsHash: bytes('next_validators_hash'),
    consensusHash: bytes('consensus_hash'),
    appHash: bytes('app_hash'),
    lastResultsHash: bytes('last_results_hash'),
    evidenceHash: bytes('evidence_hash'),
    proposer: bytes('proposer_address'),
  }
}

/** Returns a commit; undefined for that of height 0, which precedes the first block. */
export function commitOf(value: unknown): Commit | undefined {
  const commit = objectOf(value ?? {}, 'commit')
  const height = integerOf(commit['height'] ?? 0, 'commit.height')
  if (height === 0n) return undefined
  return {
    height,
    round: Number(integerOf(commit['round'] ?? 0, 'commit.round')),
    blockId: blockIdOf(commit['block_id']),
    signatures: listOf(commit['signatures'], 'commit.signatures').map(signatureOf),
  }
}

function signatureOf(value: unknown): CommitSignature {
  const { block_id_flag: flag, validator_address: address, timestamp, signature } = objectOf(value, 'signature')
  if (flag !== 1 && flag !== 2 && flag !== 3) throw wrong('block_id_flag', '1, 2 or 3')
  return {
    flag,
    validator: bytesOfHex(address, 'validator_address'),
    timeNs: parseRfc3339(textOf(timestamp)) ?? ZERO_TIME_NS,
    signature: bytesOfBase64(signature, 'signature'),
  }
}

/** Returns a validator of the answer of `validators`. */
export function validatorOf(value: unknown): Validator {
  const { address, pub_key: key, voting_power: power, proposer_priority: priority } = objectOf(value, 'validators')
  return {
    address: bytesOfHex(address, 'validators.address'),
    publicKey: bytesOfBase64(objectOf(key, 'pub_key')['value'], 'validators.pub_key.value'),
    power: integerOf(power, 'validators.voting_power'),
    priority: integerOf(priority ?? 0, 'validators.proposer_priority'),
  }
}
