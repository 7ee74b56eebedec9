/** A genesis document as text: its JSON and its outermost shape. What is inside is the modules' to judge. */
import type { ChainError } from '../primitives/errors.ts'
import { queryError } from '../primitives/errors.ts'
import { type JsonData, parseJsonText } from '../primitives/json-text.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import type { GenesisDocument } from './types.ts'

type JsonObject = { readonly [name: string]: JsonData }

function isObject(value: JsonData | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_CHAIN_ID = 50

/** Parameters of the engine: `consensus_params`, or `consensus.params` as later lines of the family write them. */
function consensusParams(document: JsonObject): JsonData | undefined {
  const { consensus_params: params, consensus } = document
  return params ?? (isObject(consensus) ? consensus['params'] : undefined)
}

/**
 * The document of a text. `source` names the file in errors. Throws `invalidArgument` with the place: line and column of bad
 * JSON, or the field that is missing or wrong.
 */
export function parseGenesis(text: string, source: string): GenesisDocument {
  const fault = (place: string, reason: string): ChainError =>
    queryError('invalidArgument', `${source}: ${place}: ${reason}`)
  const json = parseJsonText(text, source)
  if (!isObject(json)) throw queryError('invalidArgument', `${source}: a genesis document is an object`)
  const { chain_id: chainId, genesis_time: time, app_state: state } = json
  if (typeof chainId !== 'string' || chainId === '') throw fault('chain_id', 'is missing, or no text')
  if (chainId.length > MAX_CHAIN_ID) throw fault('chain_id', `is longer than ${MAX_CHAIN_ID} characters`)
  if (typeof time !== 'string' || parseRfc3339(time) === undefined) throw fault('genesis_time', 'is no RFC 3339 time')
  const initialHeight = String(json['initial_height'] ?? '1')
  if (!/^\d{1,15}$/.test(initialHeight)) throw fault('initial_height', 'is no height')
  if (!isObject(state)) throw fault('app_state', 'is missing, or no object')
  const params = consensusParams(json) ?? {}
  if (!isObject(params)) throw fault('consensus_params', 'is no object')
  const { validators = null } = json
  if (validators !== null && !Array.isArray(validators)) throw fault('validators', 'is no list')
  return {
    chain_id: chainId,
    genesis_time: time,
    initial_height: initialHeight === '0' ? '1' : initialHeight,
    consensus_params: params,
    app_hash: '',
    app_state: state,
    ...(Array.isArray(validators) && { validators }),
  }
}
