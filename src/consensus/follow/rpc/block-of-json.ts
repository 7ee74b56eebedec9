/** Blocks, results and validators from the JSON of the CometBFT RPC, of versions 0.37 and 0.38 (docs/cometbft.md#rpc). */
import type { BlockHeader, BlockId, Commit, CommitSignature, TxResult, Validator } from '../../../app/records.ts'
import type { BlockInput } from '../../../app/types.ts'
import { ofEd25519 } from '../../../primitives/address.ts'
import { EMPTY, parseBase64, parseHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRfc3339, ZERO_TIME_NS } from '../../../primitives/time.ts'
import type { ChainEvent } from '../../../store/types.ts'
import { BLOCK_PROTOCOL } from '../../comet/encoding.ts'
import type { NodeBlock } from '../node-block.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the error for an answer that a node of the family does not give. */
const wrong = (field: string, wanted: string) =>
  queryError('dataLoss', `the answer of the node is wrong: ${field} must be ${wanted}`)

function objectOf(value: unknown, field: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'an object')
  return value as Json
}

/** Returns a list; null and absence are an empty one. */
export function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw wrong(field, 'a list')
  return value
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function bytesOfHex(value: unknown, field: string): Uint8Array {
  const bytes = parseHex(textOf(value).toLowerCase())
  if (!bytes) throw wrong(field, 'hexadecimal')
  return bytes
}

function bytesOfBase64(value: unknown, field: string): Uint8Array {
  const bytes = parseBase64(textOf(value))
  if (!bytes) throw wrong(field, 'base64')
  return bytes
}

function integerOf(value: unknown, field: string): bigint {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  if (!/^-?\d{1,19}$/.test(text)) throw wrong(field, 'an integer')
  return BigInt(text)
}

function timeOf(value: unknown, field: string): bigint {
  const timeNs = parseRfc3339(textOf(value))
  if (timeNs === undefined) throw wrong(field, 'an RFC 3339 time')
  return timeNs
}

function blockIdOf(value: unknown): BlockId {
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

function eventsOf(value: unknown): ChainEvent[] {
  return listOf(value, 'events').map((one) => {
    const { type, attributes } = objectOf(one, 'event')
    return {
      type: textOf(type),
      attributes: listOf(attributes, 'attributes').map((attribute) => {
        const { key, value: text } = objectOf(attribute, 'attribute')
        return { key: textOf(key), value: textOf(text) }
      }),
    }
  })
}

function resultOf(value: unknown): TxResult {
  const result = objectOf(value, 'txs_results')
  return {
    code: Number(integerOf(result['code'] ?? 0, 'code')),
    codespace: textOf(result['codespace']),
    log: textOf(result['log']),
    info: textOf(result['info']),
    data: bytesOfBase64(result['data'], 'data'),
    gasWanted: integerOf(result['gas_wanted'] ?? 0, 'gas_wanted'),
    gasUsed: integerOf(result['gas_used'] ?? 0, 'gas_used'),
    events: eventsOf(result['events']),
  }
}

/** Returns the misbehaviour in a piece of evidence, as the engine tells the application: of each validator that took part. */
export function misbehaviourOf(line: unknown): BlockInput['evidence'] {
  const evidence = objectOf(line, 'evidence')
  const value = objectOf(evidence['value'] ?? evidence, 'evidence.value')
  const time = () => timeOf(value['Timestamp'] ?? value['timestamp'], 'evidence.Timestamp')
  const total = () =>
    integerOf(value['TotalVotingPower'] ?? value['total_voting_power'] ?? 0, 'evidence.TotalVotingPower')
  const vote = value['vote_a'] as Json | undefined
  if (vote?.['validator_address'])
    return [
      {
        kind: 'duplicateVote',
        validator: bytesOfHex(vote['validator_address'], 'vote_a.validator_address'),
        height: integerOf(vote['height'] ?? 0, 'vote_a.height'),
        timeNs: time(),
        power: integerOf(value['ValidatorPower'] ?? value['validator_power'] ?? 0, 'evidence.ValidatorPower'),
        totalPower: total(),
      },
    ]
  const byzantine = value['ByzantineValidators'] ?? value['byzantine_validators']
  return listOf(byzantine, 'evidence.ByzantineValidators').map((one) => {
    const { address, power } = validatorOf(one)
    const height = integerOf(value['CommonHeight'] ?? value['common_height'] ?? 0, 'evidence.CommonHeight')
    return { kind: 'lightClientAttack', validator: address, height, timeNs: time(), power, totalPower: total() }
  })
}

/** Returns a validator update, whose power 0 removes the validator. */
function updateOf(value: unknown): Validator {
  const { pub_key: key, power } = objectOf(value, 'validator_updates')
  const inner = (key as { Sum?: { value?: { ed25519?: unknown } } } | undefined)?.Sum?.value?.ed25519
  const publicKey = bytesOfBase64(inner, 'validator_updates.pub_key')
  return { address: ofEd25519(publicKey), publicKey, power: integerOf(power ?? 0, 'validator_updates.power') }
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

/** Returns a block from the answers of `block`, `block_results` and `commit`; the last is absent if the node refused it. */
export function nodeBlockOf(block: Json, results: Json, commit: Json | undefined): NodeBlock {
  const { header, data, last_commit: lastCommit, evidence } = objectOf(block['block'], 'block')
  const signed = commit && objectOf(commit['signed_header'] ?? {}, 'signed_header')['commit']
  const ofBlock = results['finalize_block_events']
    ? eventsOf(results['finalize_block_events'])
    : [...eventsOf(results['begin_block_events']), ...eventsOf(results['end_block_events'])]
  const appHash = bytesOfBase64(results['app_hash'], 'app_hash')
  return {
    header: headerOf(header),
    blockId: blockIdOf(block['block_id']),
    txs: listOf(objectOf(data ?? {}, 'data')['txs'], 'data.txs').map((tx) => bytesOfBase64(tx, 'data.txs')),
    results: listOf(results['txs_results'], 'txs_results').map(resultOf),
    blockEvents: ofBlock,
    lastCommit: commitOf(lastCommit),
    commit: signed === undefined ? undefined : commitOf(signed),
    evidence: listOf(objectOf(evidence ?? {}, 'evidence')['evidence'], 'evidence').flatMap(misbehaviourOf),
    validatorUpdates: listOf(results['validator_updates'], 'validator_updates').map(updateOf),
    ...(appHash !== EMPTY && appHash.length > 0 && { appHash }),
  }
}
