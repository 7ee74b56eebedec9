/** Headers, commits, results and validators in the JSON of the CometBFT RPC (docs/cometbft.md#rpc). */
import type { BlockHeader, BlockId, Commit, TxResult, Validator } from '../../app/records.ts'
import { logOf } from '../../app/result.ts'
import { formatBase64, formatHex } from '../../primitives/bytes.ts'
import { formatRfc3339Nano, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { ChainEvent } from '../../store/types.ts'
import { BLOCK_PROTOCOL } from './encoding.ts'

type Json = Record<string, unknown>

/** Upper-case hexadecimal: hashes and addresses. */
export function formatUpperHex(bytes: Uint8Array): string {
  return formatHex(bytes).toUpperCase()
}

/** Returns base64, or null for no bytes. */
export function base64OrNull(bytes: Uint8Array): string | null {
  return bytes.length === 0 ? null : formatBase64(bytes)
}

export function blockIdJson(id: BlockId): Json {
  return { hash: formatUpperHex(id.hash), parts: { total: id.partsTotal, hash: formatUpperHex(id.partsHash) } }
}

export function headerJson(header: BlockHeader): Json {
  return {
    version: { block: BLOCK_PROTOCOL.toString(), ...(header.appVersion && { app: header.appVersion.toString() }) },
    chain_id: header.chainId,
    height: header.height.toString(),
    time: formatRfc3339Nano(header.timeNs),
    last_block_id: blockIdJson(header.lastBlockId),
    last_commit_hash: formatUpperHex(header.lastCommitHash),
    data_hash: formatUpperHex(header.dataHash),
    validators_hash: formatUpperHex(header.validatorsHash),
    next_validators_hash: formatUpperHex(header.nextValidatorsHash),
    consensus_hash: formatUpperHex(header.consensusHash),
    app_hash: formatUpperHex(header.appHash),
    last_results_hash: formatUpperHex(header.lastResultsHash),
    evidence_hash: formatUpperHex(header.evidenceHash),
    proposer_address: formatUpperHex(header.proposer),
  }
}

const ABSENT = 1

export function commitJson(commit: Commit): Json {
  return {
    height: commit.height.toString(),
    round: commit.round,
    block_id: blockIdJson(commit.blockId),
    signatures: commit.signatures.map((signature) => ({
      block_id_flag: signature.flag,
      validator_address: formatUpperHex(signature.validator),
      timestamp: formatRfc3339Nano(signature.flag === ABSENT ? ZERO_TIME_NS : signature.timeNs),
      signature: base64OrNull(signature.signature),
    })),
  }
}

export function eventsJson(events: readonly ChainEvent[]): Json[] {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key, value, index: true })),
  }))
}

/**
 * Returns an ExecTxResult with all fields, for `block_results`, `tx` and `check_tx`. `late` has other forms of its long fields,
 * which are then not made here.
 */
export function txResultJson(result: TxResult, late?: { data: unknown; log: unknown; events: unknown }): Json {
  return {
    code: result.code,
    data: late ? late.data : base64OrNull(result.data),
    log: late ? late.log : logOf(result),
    info: result.info,
    gas_wanted: result.gasWanted.toString(),
    gas_used: result.gasUsed.toString(),
    events: late ? late.events : eventsJson(result.events),
    codespace: result.codespace,
  }
}

/** Returns an ExecTxResult without zero values, for subscriptions. */
export function txResultEventJson(result: TxResult): Json {
  const log = logOf(result)
  return {
    ...(result.code !== 0 && { code: result.code }),
    ...(result.data.length > 0 && { data: formatBase64(result.data) }),
    ...(log !== '' && { log }),
    ...(result.info !== '' && { info: result.info }),
    ...(result.gasWanted !== 0n && { gas_wanted: result.gasWanted.toString() }),
    ...(result.gasUsed !== 0n && { gas_used: result.gasUsed.toString() }),
    ...(result.events.length > 0 && { events: eventsJson(result.events) }),
    ...(result.codespace !== '' && { codespace: result.codespace }),
  }
}

export function publicKeyJson(publicKey: Uint8Array): Json {
  return { type: 'tendermint/PubKeyEd25519', value: formatBase64(publicKey) }
}

export function validatorJson(validator: Validator): Json {
  return {
    address: formatUpperHex(validator.address),
    pub_key: publicKeyJson(validator.publicKey),
    voting_power: validator.power.toString(),
    proposer_priority: (validator.priority ?? 0n).toString(),
  }
}

export function validatorUpdateJson({ publicKey, power }: Validator): Json {
  return {
    pub_key: { Sum: { type: 'tendermint.crypto.PublicKey_Ed25519', value: { ed25519: formatBase64(publicKey) } } },
    power: power.toString(),
  }
}
