/** Blocks and results from the JSON of the CometBFT RPC, of versions 0.37 and 0.38 (docs/cometbft.md#rpc). */
import type { TxResult, Validator } from '../../../app/records.ts'
import { ofEd25519 } from '../../../primitives/address.ts'
import { EMPTY } from '../../../primitives/bytes.ts'
import type { ChainEvent } from '../../../store/types.ts'
import type { NodeBlock } from '../node-block.ts'
import { evidenceOf, misbehaviourOf } from './evidence-of-json.ts'
import { blockIdOf, commitOf, headerOf } from './header-of-json.ts'
import { bytesOfBase64, integerOf, type Json, listOf, objectOf, textOf } from './json-fields.ts'

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

/** Returns a validator update, whose power 0 removes the validator. */
function updateOf(value: unknown): Validator {
  const { pub_key: key, power } = objectOf(value, 'validator_updates')
  const inner = (key as { Sum?: { value?: { ed25519?: unknown } } } | undefined)?.Sum?.value?.ed25519
  const publicKey = bytesOfBase64(inner, 'validator_updates.pub_key')
  return { address: ofEd25519(publicKey), publicKey, power: integerOf(power ?? 0, 'validator_updates.power') }
}

/** Returns a block from the answers of `block`, `block_results` and `commit`; the last is absent if the node refused it. */
export function nodeBlockOf(block: Json, results: Json, commit: Json | undefined): NodeBlock {
  const { header, data, last_commit: lastCommit, evidence } = objectOf(block['block'], 'block')
  const signed = commit && objectOf(commit['signed_header'] ?? {}, 'signed_header')['commit']
  const ofBlock = results['finalize_block_events']
    ? eventsOf(results['finalize_block_events'])
    : [...eventsOf(results['begin_block_events']), ...eventsOf(results['end_block_events'])]
  const appHash = bytesOfBase64(results['app_hash'], 'app_hash')
  const pieces = listOf(objectOf(evidence ?? {}, 'evidence')['evidence'], 'evidence')
  return {
    header: headerOf(header),
    blockId: blockIdOf(block['block_id']),
    txs: listOf(objectOf(data ?? {}, 'data')['txs'], 'data.txs').map((tx) => bytesOfBase64(tx, 'data.txs')),
    results: listOf(results['txs_results'], 'txs_results').map(resultOf),
    blockEvents: ofBlock,
    lastCommit: commitOf(lastCommit),
    commit: signed === undefined ? undefined : commitOf(signed),
    misbehaviour: pieces.flatMap(misbehaviourOf),
    evidence: pieces.map(evidenceOf),
    validatorUpdates: listOf(results['validator_updates'], 'validator_updates').map(updateOf),
    ...(appHash !== EMPTY && appHash.length > 0 && { appHash }),
  }
}
